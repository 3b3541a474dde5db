import { promisify } from "node:util";
import type { Transform } from "node:stream";
import * as zlib from "node:zlib";
import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { codeOf } from "@web-tester/platform/egress/describe-failure";

/**
 * `deflate` should have a zlib header (RFC 9110 §8.4.1.2), but also comes without one: `deflate-raw`, recognised by the
 * first bytes.
 */
type Format = "gzip" | "deflate" | "deflate-raw" | "br" | "zstd";
export type Coding = Exclude<Format, "deflate-raw">;

interface Limits {
  maxOutputLength?: number;
  chunkSize?: number;
}

interface Decoder {
  whole: (bytes: Buffer, limits: Limits) => Buffer;
  later: (bytes: Buffer, limits: Limits) => Promise<Buffer>;
  stream: () => Transform;
}

// A frame may demand a window of any size; 8 MiB is what RFC 9659 allows `zstd` on the web.
const zstdOptions = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } };

/**
 * The bytes that come from another thread at once: with zlib's own 16 KiB, the switches back cost this thread more than the work.
 */
const chunkSize = 128 * 1024;

const decoders: Record<Format, Decoder> = {
  gzip: {
    whole: zlib.gunzipSync,
    later: promisify<Buffer, Limits, Buffer>(zlib.gunzip),
    stream: () => zlib.createGunzip({ chunkSize }),
  },
  deflate: {
    whole: zlib.inflateSync,
    later: promisify<Buffer, Limits, Buffer>(zlib.inflate),
    stream: () => zlib.createInflate({ chunkSize }),
  },
  "deflate-raw": {
    whole: zlib.inflateRawSync,
    later: promisify<Buffer, Limits, Buffer>(zlib.inflateRaw),
    stream: () => zlib.createInflateRaw({ chunkSize }),
  },
  br: {
    whole: zlib.brotliDecompressSync,
    later: promisify<Buffer, Limits, Buffer>(zlib.brotliDecompress),
    stream: () => zlib.createBrotliDecompress({ chunkSize }),
  },
  zstd: {
    whole: (bytes, limits) => zlib.zstdDecompressSync(bytes, { ...zstdOptions, ...limits }),
    later: (bytes, limits) =>
      promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress)(bytes, { ...zstdOptions, ...limits }),
    stream: () => zlib.createZstdDecompress({ ...zstdOptions, chunkSize }),
  },
};

/** The codings that requests offer in Accept-Encoding. */
export const acceptedCodings = "gzip, deflate, br, zstd";

/** Up to this many bytes are decoded at once and in place: cheaper than a stream and a thread for an ordinary page. */
export const decodeAtOnceMaxBytes = 64 * 1024;
/** Bodies that turn out larger than this are decoded again in another thread: no page may block the others for longer. */
const decodedAtOnceMaxBytes = 1024 * 1024;

const isKnown = (name: string): name is Coding =>
  name === "gzip" || name === "deflate" || name === "br" || name === "zstd";

/**
 * The content of a Content-Encoding header: the codings to remove, outermost first, and names of unknown codings (`utf-8`,
 * `none`).
 */
export interface Codings {
  codings: Coding[];
  unknown: string[];
}

/**
 * Reads a Content-Encoding header (its values joined by commas; null where there is none). Names that are no coding of the
 * web are ignored, as browsers do: servers put charsets and the names of their own steps there, and send the body as it
 * is.
 * @throws AppError encoding_unsupported for more than two codings.
 */
export function readCodings(header: string | null, where: string): Codings {
  const names = (header ?? "")
    .split(",")
    .map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/^x-gzip$/, "gzip"),
    )
    .filter((name) => name !== "" && name !== "identity");
  const codings = names.filter(isKnown).toReversed();
  if (codings.length > budgets.contentCodingsMax) {
    throw new AppError(
      "encoding_unsupported",
      `${where} is packed ${codings.length} times (Content-Encoding: ${names.join(", ").slice(0, 100)}); at most ${budgets.contentCodingsMax} layers are unpacked.`,
    );
  }
  return { codings, unknown: names.filter((name) => !isKnown(name)) };
}

export function cannotUnpack(unknown: readonly string[], where: string): AppError {
  return new AppError(
    "encoding_unsupported",
    `${where} is compressed as “${unknown.join(", ").slice(0, 40)}”, which was not requested and is not supported. Configure the server to send one of: ${acceptedCodings}.`,
  );
}

/** Returns a sentence about names that were ignored, for a page that is text all the same. */
export function describeUnknown(unknown: readonly string[]): string {
  return `The server says the page is packed as “${unknown.join(", ").slice(0, 40)}”, which is no coding of the web. It was read as it came, as browsers do; correct the Content-Encoding.`;
}

/**
 * Removes one coding from a whole body. @throws AppError encoding_broken, or too_large as soon as more than `maxBytes` came out.
 */
export async function decodeWhole(coding: Coding, bytes: Buffer, maxBytes: number, where: string): Promise<Buffer> {
  const decoder = decoders[formatOf(coding, bytes)];
  try {
    const atOnce = bytes.length <= decodeAtOnceMaxBytes ? decodeAtOnce(decoder, bytes, maxBytes) : null;
    return atOnce ?? (await decoder.later(bytes, { maxOutputLength: maxBytes, chunkSize }));
  } catch (error) {
    const whole = coding === "gzip" && isDamaged(error) ? await withoutTrailer(bytes, maxBytes) : null;
    if (whole !== null) return whole;
    throw describeDecodeFailure(error, coding, maxBytes, where);
  }
}

const isDamaged = (error: unknown) => ["Z_BUF_ERROR", "Z_DATA_ERROR"].includes(codeOf(error));

/**
 * Returns the content of a gzip member whose trailer (RFC 1952 §2.3.1) is wrong or missing, as scripts of old sites write
 * it: browsers ignore the trailer.
 * @returns null where the data itself is damaged or incomplete
 */
async function withoutTrailer(bytes: Buffer, maxBytes: number): Promise<Buffer | null> {
  const start = endOfGzipHeader(bytes);
  if (start === null) return null;
  return decoders["deflate-raw"]
    .later(bytes.subarray(start), { maxOutputLength: maxBytes, chunkSize })
    .catch(() => null);
}

function endOfGzipHeader(bytes: Buffer): number | null {
  if (bytes.length < 10 || bytes.readUInt32BE(0) >>> 8 !== 0x1f8b08) return null;
  const [hasChecksum, hasExtra, hasName, hasComment] = [2, 4, 8, 16].map((flag) => ((bytes[3] ?? 0) & flag) !== 0);
  let at = 10;
  if (hasExtra === true) at += 2 + (bytes[at] ?? 0) + 256 * (bytes[at + 1] ?? 0);
  for (const isThere of [hasName, hasComment]) {
    if (isThere !== true) continue;
    const end = bytes.indexOf(0, at);
    if (end === -1) return null;
    at = end + 1;
  }
  return hasChecksum === true ? at + 2 : at;
}

/** @returns null where the result is larger than may be decoded in place */
function decodeAtOnce(decoder: Decoder, bytes: Buffer, maxBytes: number): Buffer | null {
  try {
    return decoder.whole(bytes, { maxOutputLength: Math.min(maxBytes, decodedAtOnceMaxBytes) });
  } catch (error) {
    if (maxBytes > decodedAtOnceMaxBytes && codeOf(error) === "ERR_BUFFER_TOO_LARGE") return null;
    throw error;
  }
}

/**
 * Creates a stream that removes one coding; `prefix`: the first bytes that it will get. Its errors go through
 * `describeDecodeFailure`.
 */
export function createDecoder(coding: Coding, prefix: Buffer): Transform {
  return decoders[formatOf(coding, prefix)].stream();
}

export function describeDecodeFailure(error: unknown, coding: Coding, maxBytes: number, where: string): AppError {
  if (error instanceof AppError) return error;
  if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") return tooLarge(maxBytes, where);
  return new AppError(
    "encoding_broken",
    `${where} cannot be decompressed (${coding}): the data is damaged or incomplete. This has to be fixed on the server.`,
    { cause: error },
  );
}

export function tooLarge(maxBytes: number, where: string): AppError {
  return new AppError("too_large", `${where} is larger than ${formatMiB(maxBytes)}, the limit for one page.`);
}

function formatMiB(bytes: number): string {
  return bytes >= 1024 * 1024 ? `${Math.round((bytes / 1024 / 1024) * 10) / 10} MiB` : `${bytes} bytes`;
}

function formatOf(coding: Coding, bytes: Buffer): Format {
  if (coding !== "deflate") return coding;
  const [first = 0, second = 0] = bytes;
  const hasZlibHeader = (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
  return hasZlibHeader ? "deflate" : "deflate-raw";
}
