import type { ErrorBody } from "@web-tester/contracts/entities/error-body";
import type { Request, RequestHandler, Response } from "express";
import { isStreamed } from "./json-body.js";

/** A body has to bring this many bytes within each time limit. A file that a handler streams may take hours in this way … */
export const uploadMinBytes = 16 * 1024;
/** … while any other body has to be complete within the time that Node by default gives a whole request. */
const wholeMaxMs = 300_000;
/** The time limit for bodies other than uploads, whose limit is a setting. */
const smallStallMs = 25_000;
const looksPerLimit = 6;

/** What is known of a body that is still arriving. `waiting`: bytes that came but were not read yet. */
export interface BodySight {
  received: number;
  waiting: number;
}

/** Tells whether a body's sender has stalled; asked periodically, with a clock in milliseconds. */
export class BodyWatch {
  private received = -uploadMinBytes;
  private movedAt: number;

  /** @param stallMs time within which `uploadMinBytes` have to arrive */
  constructor(
    private readonly streamed: boolean,
    private readonly stallMs: number,
    private readonly beganAt: number,
  ) {
    this.movedAt = beganAt;
  }

  isStuck({ received, waiting }: BodySight, now: number): boolean {
    if (!this.streamed && now - this.beganAt > wholeMaxMs) return true;
    // while received bytes wait to be read, it is not the sender who is slow
    if (received - this.received >= uploadMinBytes || waiting > 0) {
      this.movedAt = now;
      this.received = received;
    }
    return now - this.movedAt > this.stallMs;
  }
}

/**
 * Ends connections whose request body stalls. Replaces the server's `requestTimeout`, which has one limit for all bodies and would cut
 * off an upload of 1 GB over a slow line. A sender that sends a byte now and then to keep its place is cut off as well.
 * @param stallMs time within which {@link uploadMinBytes} of an upload have to arrive
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
    // the end of the answer does not stop the watch: a refusal is answered before the end of a body, and the rest of that body would hold the
    // connection
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
  // the end of an answer does not close a connection on which a body is still expected
  response.once("finish", () => socket.destroySoon());
}
