import type { Request, Response } from "express";
import type { Sender } from "../http/sender.js";

/**
 * Answers with bytes, whole or in the requested range (RFC 9110 §14), or with 304 where the caller has them. Several ranges at once
 * are answered with the whole, as the standard allows. Callers set the headers that describe the bytes before.
 * @throws AppError unavailable, as `Sender.whole`
 */
export async function sendBytes(
  sender: Sender,
  request: Request,
  response: Response,
  bytes: Buffer,
  etag: string,
): Promise<void> {
  response.setHeader("ETag", etag);
  response.setHeader("Accept-Ranges", "bytes");
  if (request.headers["if-none-match"]?.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag) === true) {
    response.status(304).end();
    return;
  }
  const isSame = request.headers["if-range"] === undefined || request.headers["if-range"] === etag;
  const ranges = isSame ? request.range(bytes.length) : undefined;
  if (ranges === -1) {
    response.status(416).setHeader("Content-Range", `bytes */${bytes.length}`);
    response.removeHeader("Content-Disposition");
    response.end();
    return;
  }
  const range = Array.isArray(ranges) && ranges.type === "bytes" && ranges.length === 1 ? ranges[0] : undefined;
  const body = range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
  if (range !== undefined)
    response.status(206).setHeader("Content-Range", `bytes ${range.start}-${range.end}/${bytes.length}`);
  await sender.whole(response, body);
}
