import { through } from "@web-tester/platform/lifecycle/streams";
import type { Response } from "express";
import { createGzip, gzipSync } from "node:zlib";

/** Answers of fewer bytes are sent as they are: on a line of 1 Mbit/s they take an eighth of a second, and gzip would double what they cost. */
export const packedMinBytes = 16 * 1024;
/** The cheapest level: the highest one makes lists smaller by another tenth, and takes half as long again. */
const options = { level: 1, windowBits: 14, memLevel: 7, chunkSize: 16 * 1024 };

/**
 * Whether an answer is sent in gzip: its reader understands gzip, and it is long enough. If so, notes it in the headers. Answers to
 * changes, which alone carry new secrets, are not sent this way.
 * @param bytes length of the answer
 */
export function packs(response: Response, bytes: number): boolean {
  const { req: request } = response;
  response.vary("Accept-Encoding");
  if (request.method !== "GET" || bytes < packedMinBytes || request.acceptsEncodings("gzip") === false) return false;
  response.setHeader("Content-Encoding", "gzip");
  return true;
}

/** Compresses a short answer, at once: 54 KB take 0.8 ms, and handing them to another thread costs more than that. */
export function packed(body: Uint8Array): Buffer {
  return gzipSync(body, options);
}

/** Compresses an answer while it is sent, in other threads. */
export function packedPieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  return through(pieces, createGzip(options));
}
