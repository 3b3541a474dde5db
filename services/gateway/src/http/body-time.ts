import type { RequestHandler } from "express";
import { isStreamed } from "./json-body.js";

/** A body that a handler streams may take hours, but has to bring this much in each time that it is given … */
export const uploadMinBytes = 16 * 1024;
/** … and any other has to be there within Node's usual time for a whole request. */
const wholeMaxMs = 300_000;
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

  /** @param stallMs time for `uploadMinBytes` of a streamed body */
  constructor(
    private readonly streamed: boolean,
    private readonly stallMs: number,
    private readonly beganAt: number,
  ) {
    this.movedAt = beganAt;
  }

  isStuck({ received, waiting }: BodySight, now: number): boolean {
    if (!this.streamed) return now - this.beganAt > wholeMaxMs;
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
  return (request, _response, next) => {
    if (!request.complete) {
      const watch = new BodyWatch(isStreamed(request), stallMs, performance.now());
      const timer = setInterval(() => {
        const sight = { received: request.socket.bytesRead, waiting: request.readableLength };
        if (request.complete) clearInterval(timer);
        else if (watch.isStuck(sight, performance.now())) request.socket.destroy();
      }, stallMs / looksPerLimit).unref();
      request.once("close", () => clearInterval(timer));
    }
    next();
  };
}
