import { api, type Endpoint } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import { budgets, limits } from "@web-tester/contracts/limits";
import { isUtf8 } from "node:buffer";
import { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { Pieces } from "@web-tester/platform/lifecycle/streams";
import express, { type NextFunction, type Request, type RequestHandler, type Response } from "express";

const rows: readonly Endpoint[] = Object.values(api);
/** Calls whose handler reads the body itself, for example `POST /api/import`. */
const streamed: ReadonlySet<string> = new Set(
  rows.filter((row) => row.streamsBody).map((row) => `${row.method} ${row.path}`),
);
/** The path of the one call whose body carries a whole page; its limit leaves room for JSON escapes. */
const pagePath = /^\/api\/testsnapshots\/[^/]+\/preview$/;
const pageMaxBytes = 2 * budgets.htmlMaxBytes;

/** Parses JSON bodies; whatever is wrong with one is answered with advice on what to do. */
export function jsonBody(): RequestHandler {
  const options = { type: isJson, strict: false, verify: requireUtf8 };
  const parseSmall = promisify(express.json({ ...options, limit: limits.requestBodyMaxBytes }));
  const parsePage = promisify(express.json({ ...options, limit: pageMaxBytes }));
  return async (request: Request, response: Response, next: NextFunction) => {
    const { "content-length": length, "transfer-encoding": coding } = request.headers;
    if (isStreamed(request) || (length === undefined && coding === undefined)) {
      next();
      return;
    }
    if (hasBody(request) && !isJson(request)) throw noJson(request.headers["content-type"]);
    const [parse, maxBytes] = pagePath.test(request.path)
      ? ([parsePage, pageMaxBytes] as const)
      : ([parseSmall, limits.requestBodyMaxBytes] as const);
    const whole = await bodyOf(request, maxBytes);
    try {
      await parse(whole, response);
    } catch (error) {
      throw toAppError(error, maxBytes);
    }
    request.body = "body" in whole ? whole.body : undefined;
    next();
  };
}

function noJson(sent: string | undefined): AppError {
  return new AppError(
    "unsupported_media_type",
    `This API reads JSON, not ${sent === undefined ? "a body without a content type" : `“${sent.slice(0, 100)}”`}. Send the header Content-Type: application/json.`,
  );
}

/**
 * The request with its whole body there. The parser would keep each piece by itself: a byte that was sent as a chunk of its own takes a
 * hundred then.
 */
async function bodyOf(request: Request, maxBytes: number): Promise<IncomingMessage> {
  const pieces = new Pieces();
  let isTooLong = Number(request.headers["content-length"] ?? 0) > maxBytes;
  try {
    // to its end, also where it is too long: who is still sending reads no answer
    for await (const piece of request) {
      if (isTooLong || !Buffer.isBuffer(piece)) continue;
      pieces.add(piece);
      isTooLong = pieces.size > maxBytes;
    }
  } catch (cause) {
    throw cutOff(cause);
  }
  if (isTooLong) throw tooLarge(maxBytes);
  const whole = new IncomingMessage(request.socket);
  whole.headers = request.headers;
  whole.push(pieces.whole());
  whole.push(null);
  whole.complete = true;
  return whole;
}

function tooLarge(maxBytes: number, cause?: unknown): AppError {
  return new AppError(
    "payload_too_large",
    `The body is larger than ${maxBytes / 1024} KiB. Split it into smaller requests.`,
    {
      cause,
    },
  );
}

function cutOff(cause: unknown): AppError {
  return new AppError("invalid_json", "The body ended before it was complete. Send it again.", { cause });
}

/** Whether the call's handler reads the body while it arrives. */
export function isStreamed({ method, path }: { method: string; path: string }): boolean {
  // a route also matches with a slash at the end
  return streamed.has(`${method} ${path.replace(/\/$/, "")}`);
}

/** Whether a request has a body, arrived or not. */
export function hasBody(request: Request): boolean {
  return request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0;
}

/**
 * Refuses bytes that are not UTF-8, which would otherwise be replaced by characters that nobody wrote.
 * @throws Error, which the parser passes on as entity.verify.failed
 */
function requireUtf8(_request: unknown, _response: unknown, bytes: Buffer, encoding: string): void {
  if (!encoding.startsWith("utf-8") || isUtf8(bytes)) return;
  throw new Error("not UTF-8");
}

function isJson(request: { headers: { "content-type"?: string | undefined } }): boolean {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
  return type === "application/json" || (type.startsWith("application/") && type.endsWith("+json"));
}

function toAppError(error: unknown, maxBytes: number): unknown {
  const type = typeof error === "object" && error !== null && "type" in error ? error.type : undefined;
  const reason = error instanceof Error ? error.message : "";
  switch (type) {
    case "entity.parse.failed":
      return new AppError("invalid_json", `The body is not valid JSON (${reason}). Correct it and send it again.`, {
        cause: error,
      });
    case "entity.verify.failed":
      return new AppError(
        "invalid_json",
        "The body is not UTF-8, which JSON requires. Send it again in that encoding.",
      );
    case "entity.too.large":
      return tooLarge(maxBytes, error);
    case "charset.unsupported":
    case "encoding.unsupported":
      return new AppError(
        "unsupported_media_type",
        `The body cannot be read (${reason}). Send JSON as UTF-8, plain or with gzip.`,
        { cause: error },
      );
    case "request.aborted":
    case "request.size.invalid":
    case "stream.encoding.set":
      return cutOff(error);
    default:
      return isClientFault(error)
        ? new AppError("invalid_json", `The body cannot be read (${reason}). Send JSON as UTF-8.`, { cause: error })
        : error;
  }
}

function isClientFault(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "status" in error &&
    typeof error.status === "number" &&
    error.status < 500
  );
}
