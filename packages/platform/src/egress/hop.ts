import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { AppError } from "@web-tester/contracts/errors";
import { codeOf, describeFailure } from "./describe-failure.js";

/** The answer to one request: redirects are not followed, content codings are not removed. */
export interface EgressResponse {
  status: number;
  /** The headers as received: in order, names in the server's spelling, bytes read as Latin-1. */
  headers: [name: string, value: string][];
  /** Ends, or is destroyed with an AppError. The receiver must read it to its end, destroy it, or give it to `discard`. */
  body: Readable;
}

/** The callbacks of `createHop`: exactly one of the first two is called, once. */
export interface HopOutcome {
  answered(response: EgressResponse): void;
  /** `mayRepeat`: the server had closed an idle connection before it answered, so repeating the request is harmless. */
  failed(error: AppError, mayRepeat: boolean): void;
  /** Called after `answered` where the body failed. */
  spoiled(error: AppError): void;
}

export interface Hop extends Dispatcher.DispatchHandler {
  /** Aborts the request in any state, even while it waits for a connection; the outcome or the body gets this error. */
  abort(error: AppError): void;
}

class HopBody extends Readable {
  constructor(private readonly controller: Dispatcher.DispatchController) {
    super({ highWaterMark: 128 * 1024 });
    this.on("error", () => undefined); // it may fail before its reader listens; the reader then sees `errored`
  }

  override _read(): void {
    this.controller.resume();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    if (!this.readableEnded)
      this.controller.abort(error ?? new AppError("cancelled", "The body was not read to its end."));
    callback(error);
  }
}

/**
 * Creates a handler that carries one undici dispatch from its request to the end of its body. `host` (with port) is for messages;
 * `onFinished` is called once at the very end.
 */
export function createHop(host: string, outcome: HopOutcome, onFinished: () => void): Hop {
  return new RunningHop(host, outcome, onFinished);
}

class RunningHop implements Hop {
  #controller: Dispatcher.DispatchController | null = null;
  #body: HopBody | null = null;
  #aborted: AppError | null = null;
  #hasBegun = false;
  #isFinished = false;

  constructor(
    private readonly host: string,
    private readonly outcome: HopOutcome,
    private readonly onFinished: () => void,
  ) {}

  onRequestStart(given: Dispatcher.DispatchController): void {
    this.#controller = given;
    if (this.#aborted !== null) given.abort(this.#aborted);
  }

  onResponseStarted(): void {
    this.#hasBegun = true;
  }

  onResponseStart(given: Dispatcher.DispatchController, status: number): void {
    if (status < 200 || this.#aborted !== null) return;
    this.#body = new HopBody(given);
    this.outcome.answered({ status, headers: readHeaders(given.rawHeaders), body: this.#body });
  }

  onResponseData(given: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#body !== null && !this.#body.push(chunk)) given.pause();
  }

  onResponseEnd(): void {
    this.#body?.push(null);
    this.#finish();
  }

  onResponseError(_given: Dispatcher.DispatchController, error: Error): void {
    const fault = this.#aborted ?? describeFailure(error, this.host, this.#body === null ? "headers" : "body");
    this.#fail(fault, this.#aborted === null && !this.#hasBegun && isStaleConnection(error));
  }

  abort(error: AppError): void {
    if (this.#isFinished || this.#aborted !== null) return;
    this.#aborted = error;
    this.#fail(error, false);
    this.#controller?.abort(error);
  }

  #fail(error: AppError, mayRepeat: boolean): void {
    if (this.#isFinished) return;
    this.#finish();
    if (this.#body === null) return this.outcome.failed(error, mayRepeat);
    this.outcome.spoiled(error);
    this.#body.destroy(error);
  }

  #finish(): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.onFinished();
  }
}

function readHeaders(raw: Dispatcher.DispatchController["rawHeaders"]): [string, string][] {
  if (!Array.isArray(raw)) return [];
  const headers: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) headers.push([latin1(raw[at]), latin1(raw[at + 1])]);
  return headers;
}

function latin1(text: Buffer | string | undefined): string {
  return typeof text === "object" ? text.toString("latin1") : (text ?? "");
}

function isStaleConnection(error: Error): boolean {
  const code = codeOf(error);
  if (code === "ECONNRESET" || code === "EPIPE") return true;
  return code === "UND_ERR_SOCKET" && "socket" in error && readBytes(error.socket) > 0;
}

function readBytes(socket: unknown): number {
  if (typeof socket !== "object" || socket === null || !("bytesRead" in socket)) return 0;
  return typeof socket.bytesRead === "number" ? socket.bytesRead : 0;
}
