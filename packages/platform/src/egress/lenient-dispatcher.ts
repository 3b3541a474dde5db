import { type ClientRequest, type IncomingMessage, request as send } from "node:http";
import { Socket } from "node:net";
import { Duplex } from "node:stream";
import type { buildConnector, Dispatcher } from "undici";
import { budgets } from "@web-tester/contracts/limits";

/** A request without a body: requests with one are never sent twice. */
export interface LenientRequest {
  origin: string;
  path: string;
  method: string;
  headers: Record<string, string>;
}

/**
 * Sends requests to servers whose answers undici rejects and every browser accepts: header lines that end without CR, folded values (as
 * nginx writes a long policy), control characters in values, which become spaces here, lines that are no headers (see `CleanHead`), a
 * 100 Continue before the answer, odd status lines, and lengths that are said twice (see `settleLength`). Each request has its own connection, so that a misread end of one answer never becomes the beginning of
 * another.
 */
export class LenientDispatcher {
  readonly #requests = new Set<ClientRequest>();

  constructor(private readonly connect: buildConnector.connector) {}

  /** Aborts every request. */
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
        this.connect(target, (error, socket) => opened(error, new CleanHead(socket ?? new Socket())));
        return undefined;
      },
    });
  }
}

/** A line that begins with a header's name, which may have spaces behind it. */
const headerLine = /^[!#$%&'*+.^_`|~\w-]+[ \t]*:/;
const headEnd = /\n\r?\n/;
/** A status line after whose head another head follows (1xx, except 101). */
const informational = /^HTTP\/1\.\d 1(?!01)/;

/**
 * A connection for one request that removes header lines which no parser of Node accepts and every browser ignores: lines without a colon,
 * or with something other than a name before it. Spaces between a name and its colon are removed.
 * @see https://source.chromium.org/chromium/chromium/src/+/main:net/http/http_util.cc HeadersIterator
 */
class CleanHead extends Duplex {
  /** The part of a head received so far, in Latin-1; null once the final head is complete. */
  #head: string | null = "";

  constructor(private readonly socket: Socket) {
    super();
    let hasEnded = false;
    socket.on("data", (bytes: Buffer) => {
      const cleaned = this.#clean(bytes);
      if (cleaned.length > 0 && !this.push(cleaned)) socket.pause();
    });
    socket.on("end", () => {
      hasEnded = true;
      if (this.#head !== null && this.#head !== "") this.push(Buffer.from(this.#head, "latin1"));
      this.push(null);
    });
    socket.on("error", (error) => this.destroy(error));
    socket.on("close", () => {
      if (!hasEnded) this.destroy();
    });
  }

  override _read(): void {
    this.socket.resume();
  }

  override _write(bytes: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.socket.write(bytes, encoding, done);
  }

  override _final(done: () => void): void {
    this.socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.socket.destroy();
    done(error);
  }

  #clean(bytes: Buffer): Buffer {
    if (this.#head === null) return bytes;
    let head = this.#head + bytes.toString("latin1");
    let cleaned = "";
    for (let end = headEnd.exec(head); end !== null; end = headEnd.exec(head)) {
      const length = end.index + end[0].length;
      const next = cleanHead(head.slice(0, length));
      cleaned += next;
      head = head.slice(length);
      if (!informational.test(next)) return this.#passOn(cleaned + head);
    }
    // too long for headers: the parser will report it
    if (head.length > budgets.headersMaxBytes) return this.#passOn(cleaned + head);
    this.#head = head;
    return Buffer.from(cleaned, "latin1");
  }

  #passOn(text: string): Buffer {
    this.#head = null;
    return Buffer.from(text, "latin1");
  }
}

/** @param head one head, with the empty line that ends it */
function cleanHead(head: string): string {
  const [status = "", ...lines] = head.split("\n");
  const kept = [cleanStatus(status)];
  let isKept = true;
  for (const line of lines) {
    const isHeader = headerLine.test(line);
    const isContinued = /^[ \t]/.test(line) && line.trim() !== "";
    if (isContinued && isKept) kept.push(`${kept.pop() ?? ""}\n${line}`);
    if (isContinued) continue;
    if (line.trim() !== "") isKept = isHeader;
    if (isKept || line.trim() === "") kept.push(isHeader ? line.replace(/[ \t]*:/, ":") : line);
  }
  return settleLength(kept).join("\n");
}

/** Any version but 1.0 counts as 1.1. */
function cleanStatus(line: string): string {
  return line.replace(/^HTTP\/(?!1\.0)\d(?:\.\d)?(?= \d{3})/, "HTTP/1.1");
}

const lengthLine = /^content-length:/i;
const codingLine = /^transfer-encoding:/i;

/**
 * Leaves one statement of where the answer ends: `chunked` counts before any length (RFC 9112 §6.3), any other transfer coding says nothing,
 * and a length that is said several times counts once. Different lengths stay, and are refused. As each request has its own connection, a
 * wrong choice harms nothing but this answer.
 * @see https://source.chromium.org/chromium/chromium/src/+/main:net/http/http_stream_parser.cc
 */
function settleLength(lines: readonly string[]): string[] {
  const isChunked = lines.some((line) => codingLine.test(line) && /\bchunked\b/i.test(line));
  const lengths = new Set(lines.filter((line) => lengthLine.test(line)).flatMap(lengthsIn));
  if (!isChunked && lengths.size > 1) return [...lines];
  const [length] = isChunked ? [] : lengths;
  const first = lines.findIndex((line) => lengthLine.test(line));
  return lines.flatMap((line, index) => {
    if (codingLine.test(line)) return isChunked ? [line] : [];
    if (!lengthLine.test(line)) return [line];
    return index === first && length !== undefined ? [`Content-Length: ${length}\r`] : [];
  });
}

function lengthsIn(line: string): string[] {
  const values = line.slice(line.indexOf(":") + 1).split(",");
  return values.map((value) => value.trim().replace(/^\+/, "")).filter((value) => value !== "");
}

/** Control characters in ASCII only: bytes from 0x80 on are parts of letters in other charsets. */
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
