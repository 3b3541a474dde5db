import { AppError } from "@web-tester/contracts/errors";
import type { Request, RequestHandler } from "express";

type Socket = Request["socket"];

/** Requests of one connection that are worked on at once. Browsers and proxies send one, and the next when it is answered. */
const answeringMax = 16;
/** Node hands over all requests of a piece of 64 KiB, some 2,500 of the shortest; whoever goes on sending behind them is cut off. */
const waitingMax = 4_000;

/**
 * Refuses who sends many requests on one connection without waiting for answers: all would be begun at once, each with its questions to the
 * database, for as long as it takes whether or not somebody is still there. The first `answeringMax` are answered, the next one is refused,
 * and with that the connection ends; whoever pipelines has to expect it (RFC 9112, 9.3.2).
 */
export function limitPipelines(): RequestHandler {
  const waiting = new WeakMap<Socket, number>();
  const refused = new WeakSet<Socket>();
  return (request, response, next) => {
    const { socket } = request;
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    response.once("close", () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    if (count > waitingMax) {
      socket.destroy();
    } else if (refused.has(socket)) {
      // what comes behind a refusal is never begun: the connection ends before its answer
    } else if (count <= answeringMax) {
      next();
    } else {
      refused.add(socket);
      response.setHeader("Connection", "close");
      next(tooManyAtOnce());
    }
  };
}

function tooManyAtOnce(): AppError {
  return new AppError(
    "too_many_requests",
    `More than ${answeringMax} requests were sent on one connection without waiting for an answer. Wait for answers, or open further connections.`,
  );
}
