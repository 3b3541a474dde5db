import { AppError } from "@web-tester/contracts/errors";
import type { Request, RequestHandler } from "express";

type Socket = Request["socket"];

/** The most requests of one connection that are handled at once. Browsers and proxies send one, and the next after its answer. */
const answeringMax = 16;
/**
 * Node parses all requests of a 64 KiB chunk at once, about 2,500 of the shortest; a client that goes on sending beyond that is cut
 * off.
 */
const waitingMax = 4_000;

/**
 * Refuses clients that send many requests on one connection without waiting for answers (pipelining): all would be started at once,
 * each with its database queries, even if the client is gone by then. The first `answeringMax` are answered, the next one is refused,
 * and then the connection ends; clients that pipeline have to expect that (RFC 9112, 9.3.2).
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
      // requests behind a refused one are never started: the connection ends before their answer
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
    `More than ${answeringMax} requests were sent on one connection without waiting for answers. Wait for answers, or open more connections.`,
  );
}
