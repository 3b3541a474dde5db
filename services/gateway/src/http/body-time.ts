import type { ErrorBody } from "@web-tester/contracts/entities/error-body";
import type { Request, RequestHandler, Response } from "express";
import { isStreamed } from "./json-body.js";

/** A body has to bring this much in each time that it is given. A file that a handler streams may take hours so … */
export const uploadMinBytes = 16 * 1024;
/** … and any other has to be there within Node's usual time for a whole request. */
const wholeMaxMs = 300_000;
/** The time that a body has which is no file; an upload's is a setting. */
const smallStallMs = 25_000;
const looksPerLimit = 6;

/** What can be seen of a body that is on its way. `waiting`: bytes that came and were not taken yet. */
export interface BodySight {
  received: number;
  waiting: number;
}

/** Whether a body's sender is still at it; asked now and then, with a clock in milliseconds. */
export class BodyWatch {
  private received = -uploadMinBytes;
  private movedAt: number;

  /** @param stallMs time for `uploadMinBytes` */
  constructor(
    private readonly streamed: boolean,
    private readonly stallMs: number,
    private readonly beganAt: number,
  ) {
    this.movedAt = beganAt;
  }

  isStuck({ received, waiting }: BodySight, now: number): boolean {
    if (!this.streamed && now - this.beganAt > wholeMaxMs) return true;
    // while we have not taken what came, it is not the sender who is slow
    if (received - this.received >= uploadMinBytes || waiting > 0) {
      this.movedAt = now;
      this.received = received;
    }
    return now - this.movedAt > this.stallMs;
  }
}

/**
 * Ends connections whose request body does not come. Stands for the server's `requestTimeout`, which knows one limit for all
 * and would cut an upload of 1 GB over a slow line; one that brings a byte now and then to hold its place is cut as well.
 * @param stallMs time for {@link uploadMinBytes} of an upload
 */
export function bodyTimeLimits(stallMs: number): RequestHandler {
  return (request, response, next) => {
    if (!request.complete) watchBody(request, response, isStreamed(request), stallMs);
    next();
  };
}

function watchBody(request: Request, response: Response, streamed: boolean, uploadStallMs: number): void {
  const { socket } = request;
  const stallMs = streamed ? uploadStallMs : Math.min(smallStallMs, uploadStallMs);
  const watch = new BodyWatch(streamed, stallMs, performance.now());
  const timer = setInterval(() => {
    // not the end of the answer: a refusal comes before the end of a body, and what is left of it would hold the connection
    if (request.complete || socket.destroyed) clearInterval(timer);
    else if (watch.isStuck({ received: socket.bytesRead, waiting: request.readableLength }, performance.now())) {
      clearInterval(timer);
      if (streamed || response.headersSent) socket.destroy();
      else tellTooSlow(response);
    }
  }, stallMs / looksPerLimit).unref();
}

function tellTooSlow(response: Response): void {
  const body: ErrorBody = {
    status: 408,
    code: "invalid_input",
    message: "The body of the request did not arrive in time. Send it again, all at once.",
  };
  const { socket } = response.req;
  response.setHeader("Connection", "close");
  response.status(body.status).json(body);
  // the end of an answer does not end a connection on which a body is still expected
  response.once("finish", () => socket.destroySoon());
}
