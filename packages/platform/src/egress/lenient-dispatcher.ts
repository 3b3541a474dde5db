import { type ClientRequest, type IncomingMessage, request as send } from "node:http";
import { Socket } from "node:net";
import type { buildConnector, Dispatcher } from "undici";
import { budgets } from "@web-tester/contracts/limits";

/** A request without a body: what has one is not sent twice. */
export interface LenientRequest {
  origin: string;
  path: string;
  method: string;
  headers: Record<string, string>;
}

/**
 * Sends requests to servers whose answers undici refuses to read and every browser reads: header lines that end without CR, values
 * over several lines (as nginx writes a long policy) or with control characters in them, which become spaces here.
 * Each request has a connection of its own, so that what is read too kindly of one answer never begins another.
 */
export class LenientDispatcher {
  readonly #requests = new Set<ClientRequest>();

  constructor(private readonly connect: buildConnector.connector) {}

  /** Ends every request. */
  async destroy(): Promise<void> {
    for (const request of this.#requests) request.destroy();
  }

  dispatch(wanted: LenientRequest, handler: Dispatcher.DispatchHandler): void {
    const request = this.#open(wanted);
    this.#requests.add(request);
    request.on("close", () => this.#requests.delete(request));
    const controller = new LenientController(request);
    handler.onRequestStart?.(controller, null);
    let isOver = false;
    const failed = (error: Error) => {
      if (!isOver) handler.onResponseError?.(controller, error);
      isOver = true;
    };
    request.on("error", failed);
    request.on("response", (response) => {
      controller.begin(response);
      response.on("error", failed);
      response.on("data", (chunk: Buffer) => handler.onResponseData?.(controller, chunk));
      response.on("end", () => {
        isOver = true;
        handler.onResponseEnd?.(controller, {});
      });
      handler.onResponseStarted?.();
      handler.onResponseStart?.(controller, response.statusCode ?? 0, response.headers);
    });
    request.end();
  }

  #open({ origin, path, method, headers }: LenientRequest): ClientRequest {
    const { host, hostname, port, protocol } = new URL(origin);
    const target = { host, hostname: hostname.replace(/^\[(.*)\]$/, "$1"), port, protocol };
    return send({
      path,
      method,
      headers: { host, ...headers },
      insecureHTTPParser: true,
      maxHeaderSize: budgets.headersMaxBytes,
      createConnection: (_options, opened) => {
        this.connect(target, (error, socket) => opened(error, socket ?? new Socket()));
        return undefined;
      },
    });
  }
}

/** In ASCII: those beyond are bytes of letters. */
const controls = /(?:(?![\x80-\x9f])\p{Cc})+/gu;

class LenientController implements Dispatcher.DispatchController {
  rawHeaders: string[] = [];
  reason: Error | null = null;
  #response: IncomingMessage | null = null;

  constructor(private readonly request: ClientRequest) {}

  get aborted(): boolean {
    return this.reason !== null;
  }

  get paused(): boolean {
    return this.#response?.isPaused() ?? false;
  }

  begin(response: IncomingMessage): void {
    this.#response = response;
    this.rawHeaders = response.rawHeaders.map((text) => text.replace(controls, " "));
  }

  abort(reason: Error): void {
    this.reason ??= reason;
    this.request.destroy(reason);
  }

  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }
}
