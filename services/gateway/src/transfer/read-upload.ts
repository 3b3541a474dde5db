import type { IncomingMessage } from "node:http";
import { AppError } from "@web-tester/contracts/errors";
import { limits } from "@web-tester/contracts/limits";
import { gunzipped, isCutOff } from "./captures/unpacked.js";
import { notAsNamed, unreadForm } from "./unread-form.js";

/**
 * The kind of a file, by its first bytes: an export's JSON or archive; or a web archive, WARC or a ZIP (WACZ, or a CDX index with its
 * captures).
 */
export type UploadForm = "json" | "archive" | "warc" | "zip";

/** The body of an upload while it arrives. */
export interface Upload {
  /** Opens the decompressed file; may be called once. */
  open(): Promise<{ form: UploadForm; chunks: AsyncIterable<Uint8Array> }>;
  /** How many bytes were read from the network so far. */
  bytes(): number;
  /** Discards the rest of the body as it arrives, without waiting for it; for callers that read only a part of the file. */
  drop(): void;
}

const types: ReadonlySet<string> = new Set([
  "application/json",
  "application/octet-stream",
  "application/gzip",
  "application/x-gzip",
  "application/x-tar",
  "application/warc",
  "application/zip",
  "application/x-zip-compressed",
  "application/wacz+zip",
]);
/** The position of the mark that every tar archive has (POSIX.1-1988). */
const tarMagic = { start: 257, end: 262, text: "ustar" };
/** Thrown where the file itself is damaged, as opposed to the upload. */
export class DamagedGzip extends AppError {
  readonly isCutOff: boolean;

  constructor(cause: unknown) {
    const isShort = isCutOff(cause);
    const words = isShort
      ? "The file is cut off: its gzip compression breaks off."
      : "The file's gzip compression is damaged.";
    super("invalid_json", `${words} Nothing was imported.`, { cause });
    this.isCutOff = isShort;
  }
}

const chunkBytes = 64 * 1024;
const tooLarge = `An import can have up to ${limits.importMaxBytes / 1024 ** 3} GiB, decompressed. Export single test objects and import them one by one.`;

/**
 * Opens the body of an upload: plain or gzip, by its first bytes.
 * @param name of the file, where the sender told it: says what a file that is none of the forms should have been
 * @param maxBytes limit of the decompressed file
 * @throws AppError unsupported_media_type, payload_too_large; opening throws invalid_input where the file is not what its name says;
 * opening and iterating throw payload_too_large, and invalid_json where
 * the body breaks off
 */
export function openUpload(
  request: IncomingMessage,
  name: string | null,
  maxBytes: number = limits.importMaxBytes,
): Upload {
  const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (!types.has(type) && !/^application\/.*\+json$/.test(type))
    throw new AppError(
      "unsupported_media_type",
      `An import reads JSON, not ${type === "" ? "a body without a content type" : `“${type.slice(0, 100)}”`}. Send the file with the header Content-Type: application/json, or application/gzip for an archive (application/octet-stream for WARC and WACZ).`,
    );
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw new AppError("payload_too_large", tooLarge);
  const coding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (coding !== "identity" && coding !== "gzip")
    throw new AppError("unsupported_media_type", "Send the file as it is, or with gzip.");
  let taken = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      // the sender of a refused file must be able to read why, and destroying the request would cut off the answer
      for await (const chunk of request.iterator({ destroyOnReturn: false })) {
        const bytes: Uint8Array = chunk;
        taken += bytes.length;
        yield bytes;
      }
    } catch (error) {
      throw brokenOff(error);
    } finally {
      // the rest of the body has to be read before the next request on this connection
      request.resume();
    }
    if (!request.complete) throw brokenOff(null);
  }
  const source = bounded(counted(), maxBytes);
  return {
    bytes: () => taken,
    drop: () => void source.return(undefined).catch(() => undefined),
    async open() {
      const first = await firstBytes(source, tarMagic.end);
      const unread = unreadForm(Buffer.from(first));
      if (unread !== null) throw new AppError("invalid_json", `Invalid JSON file: ${unread}. Nothing was imported.`);
      const form = formOf(Buffer.from(first));
      const other = form === "json" && name !== null ? notAsNamed(Buffer.from(first), name) : null;
      if (other !== null) throw new AppError("invalid_input", `${other} Nothing was imported.`);
      return { form, chunks: rejoined(first, source) };
    },
  };
}

function formOf(first: Buffer): UploadForm {
  if (first.toString("latin1", 0, 5) === "WARC/") return "warc";
  if (first.toString("latin1", 0, 4) === "PK\u0003\u0004") return "zip";
  return first.toString("latin1", tarMagic.start, tarMagic.end) === tarMagic.text ? "archive" : "json";
}

function brokenOff(cause: unknown): AppError {
  return new AppError(
    "invalid_json",
    "The upload ended before the file was complete. Nothing was imported; upload the file again.",
    { cause },
  );
}

async function* bounded(source: AsyncGenerator<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  const first = await firstBytes(source, 2);
  const file = first[0] === 0x1f && first[1] === 0x8b ? withoutGzip(first, source) : rejoined(first, source);
  let total = 0;
  for await (const chunk of file) {
    total += chunk.length;
    if (total > maxBytes) throw new AppError("payload_too_large", tooLarge);
    for (let at = 0; at < chunk.length; at += chunkBytes) yield chunk.subarray(at, at + chunkBytes);
  }
}

/** Reads at least `count` bytes, or all where there are fewer. */
async function firstBytes(source: AsyncGenerator<Uint8Array>, count: number): Promise<Uint8Array> {
  let first: Uint8Array = new Uint8Array();
  while (first.length < count) {
    const next = await source.next();
    if (next.done === true) break;
    first = Buffer.concat([first, next.value]);
  }
  return first;
}

async function* rejoined(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    if (first.length > 0) yield first;
    yield* rest;
  } finally {
    // also where nobody has read the first bytes
    await rest.return(undefined);
  }
}

async function* withoutGzip(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* gunzipped(rejoined(first, rest), { chunkSize: chunkBytes });
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new DamagedGzip(error);
  }
}
