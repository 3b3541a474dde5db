import { isWebAddress } from "@web-tester/contracts/entities/vocabulary";
import { AppError } from "@web-tester/contracts/errors";
import { budgets, limits } from "@web-tester/contracts/limits";
import { Pieces } from "@web-tester/platform/lifecycle/streams";
import { addressOf, type Capture, isDigestOf, recordKey } from "./capture.js";
import { answersToGet } from "./answered-requests.js";
import { ChunkReader } from "./chunk-reader.js";
import { readHttpAnswer } from "./http-answer.js";
import type { LeftOut } from "./left-out.js";
import { NamedHashes } from "./named-hashes.js";
import { type CdxLine, readCdxLine } from "./read-cdx.js";
import { DamagedGzip } from "../read-upload.js";
import { BrokenWarc, readWarc, type WarcEntry } from "./read-warc.js";
import { BrokenZip, readZip } from "./read-zip.js";
import { timeOfRecord } from "./time-of-record.js";
import { gunzipped, isCutOff } from "./unpacked.js";

/** A part of a web archive: an answer; or a file, or a line of an index that tells what the files are answers to. */
export type ArchivePiece =
  | { kind: "capture"; capture: Capture }
  | { kind: "file"; name: string; bytes: Buffer }
  | { kind: "line"; line: CdxLine };

const bodyMaxBytes = budgets.assetMaxBytes;
const blockMaxBytes = bodyMaxBytes + budgets.headersMaxBytes;
const lineMaxBytes = 64 * 1024;
/** Files of a WACZ besides its records (WACZ 1.1.1). */
const ofWacz = /^(?:datapackage|archive\/|indexes\/|pages\/|logs\/|fuzzy|webgraph|signed|extra_pages)/i;
/** Web archives in forms that are not read. */
const unreadNames = /\.arc(?:\.gz)?$|\.warc\.(?:zst|bz2|xz|br)$/i;
/** What desktops add to folders, also under the names of the files themselves (`__MACOSX/archive/._data.warc.gz`). */
const ofDesktop = /(?:^|\/)(?:__MACOSX\/|\._[^/]*$|\.DS_Store$|Thumbs\.db$)/i;

/**
 * Reads a web archive as it arrives: WARC, or a ZIP with WARC files (WACZ) or with CDX indexes and the files they name. Where it is
 * damaged, reading ends and the reason is noted; everything before that counts, as does what follows a damaged file of a ZIP.
 */
export async function* readCaptures(
  form: "warc" | "zip",
  chunks: AsyncIterable<Uint8Array>,
  leftOut: LeftOut,
): AsyncGenerator<ArchivePiece> {
  try {
    if (form === "warc") yield* warcPieces(chunks, leftOut);
    else yield* zipPieces(chunks, leftOut);
  } catch (error) {
    if (!isDamage(error)) throw error;
    leftOut.say(`The file is ${stateOf(error)}: ${whyOf(error)}. Everything before that point was read.`);
  }
}

/** Whether an error comes from the bytes themselves; an upload that breaks off or is too large is no damage and changes nothing. */
function isDamage(error: unknown): error is Error {
  if (error instanceof BrokenWarc || error instanceof BrokenZip || error instanceof DamagedGzip) return true;
  return typeof error === "object" && error !== null && "code" in error && String(error.code).startsWith("Z_");
}

function whyOf(error: Error): string {
  if (error instanceof DamagedGzip)
    return error.isCutOff ? "its gzip compression breaks off" : "its gzip compression is not valid";
  return isCutOff(error) && !(error instanceof BrokenWarc || error instanceof BrokenZip)
    ? "its compression breaks off"
    : error.message;
}

/** Of a file that was cut off, what there is is whole: to download it once more is enough. */
function stateOf(error: Error): "cut off" | "damaged" {
  const isShort = error instanceof DamagedGzip ? error.isCutOff : isCutOff(error) || /^it ends\b/.test(error.message);
  return isShort ? "cut off" : "damaged";
}

/** Limits the decompressed bytes: a ZIP of some megabytes can expand to any number of them. */
function boundedBytes(): (entry: AsyncIterable<Uint8Array>) => AsyncGenerator<Uint8Array> {
  let bytes = 0;
  return async function* bounded(entry) {
    for await (const chunk of entry) {
      bytes += chunk.length;
      if (bytes > limits.importMaxBytes)
        throw new AppError(
          "payload_too_large",
          `A web archive can have up to ${limits.importMaxBytes / 1024 ** 3} GiB, decompressed. Nothing was imported.`,
        );
      yield chunk;
    }
  };
}

async function* zipPieces(chunks: AsyncIterable<Uint8Array>, leftOut: LeftOut): AsyncGenerator<ArchivePiece> {
  const bounded = boundedBytes();
  const boundedArchive = boundedBytes();
  async function* piecesIn(archive: ChunkReader, isOuter: boolean): AsyncGenerator<ArchivePiece> {
    const hashes = new NamedHashes();
    let isSaid = false;
    try {
      for await (const { name, chunks: read } of readZip(archive)) {
        isSaid = false;
        if (ofDesktop.test(name)) continue;
        const entry = hashes.file(name, read);
        try {
          if (/\.wacz$/i.test(name)) {
            // a crawl by several browsers is downloaded as a ZIP that contains one WACZ for each
            const inner = new ChunkReader(boundedArchive(entry));
            if (isOuter) yield* piecesIn(inner, false);
            else leftOut.add("archives within an archive that is in another one", name);
            await inner.skip(Infinity);
          } else yield* entryPieces(name, entry, bounded, leftOut);
        } catch (error) {
          if (!isDamage(error)) throw error;
          // the files behind it are where the ZIP says
          const shown = name.slice(0, 80);
          leftOut.say(
            `“${shown}” in the file is ${stateOf(error)}: ${whyOf(error)}. What it has before that point was read.`,
          );
          isSaid = stateOf(error) === "cut off";
        }
      }
    } catch (error) {
      // an archive that ends within its last file ends before its list of files, too
      if (!isSaid || !(error instanceof BrokenZip)) throw error;
    }
    hashes.tell(leftOut);
  }
  yield* piecesIn(new ChunkReader(chunks), true);
}

async function* entryPieces(
  name: string,
  entry: AsyncIterable<Uint8Array>,
  bounded: ReturnType<typeof boundedBytes>,
  leftOut: LeftOut,
): AsyncGenerator<ArchivePiece> {
  const isPacked = /\.gz$/i.test(name);
  const plain = bounded(isPacked ? gunzipped(entry) : entry);
  if (/\.warc(?:\.gz)?$/i.test(name)) yield* warcPieces(plain, leftOut);
  else if (unreadNames.test(name)) {
    leftOut.add("files that are ARC, or WARC packed with something else than gzip", name);
    await drain(entry);
  } else if (ofWacz.test(name) || name.endsWith("/")) await drain(entry);
  else if (/\.cdxj?(?:\.gz)?$/i.test(name)) yield* cdxPieces(plain);
  else {
    const bytes = await atMost(entry, bodyMaxBytes);
    if (bytes === null) leftOut.add("files of more than 25 MiB", name);
    else yield { kind: "file", name, bytes };
  }
}

async function drain(chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of chunks);
}

/** Collects the chunks; null where there are more bytes than allowed. Reads to the end in either case. */
async function atMost(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | null> {
  let pieces = new Pieces();
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes <= maxBytes) pieces.add(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
    else pieces = new Pieces();
  }
  return bytes <= maxBytes ? pieces.whole() : null;
}

async function* cdxPieces(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ArchivePiece> {
  const file = new ChunkReader(chunks);
  const lineFeed = Buffer.from("\n");
  for (;;) {
    const line = (await file.until(lineFeed, lineMaxBytes)) ?? (await file.read(lineMaxBytes));
    if (line.length === 0) return;
    const read = readCdxLine(line.toString("utf8").trim());
    if (read !== null) yield { kind: "line", line: read };
  }
}

async function* warcPieces(chunks: AsyncIterable<Uint8Array>, leftOut: LeftOut): AsyncGenerator<ArchivePiece> {
  const entries = readWarc(new ChunkReader(chunks), blockMaxBytes);
  const others = (answer: WarcEntry, method: string) =>
    leftOut.add(`responses to ${method} requests`, addressIn(answer.fields));
  for await (const entry of answersToGet(entries, others)) {
    const capture = await captureOf(entry, leftOut);
    if (capture !== null) yield { kind: "capture", capture };
  }
}

function addressIn(fields: WarcEntry["fields"]): string {
  const given = fields.get("warc-target-uri") ?? "";
  return addressOf(given) ?? given;
}

async function captureOf({ type, fields, block, length }: WarcEntry, leftOut: LeftOut): Promise<Capture | null> {
  const url = addressIn(fields);
  const ms = timeOfRecord(fields.get("warc-date") ?? "");
  if (block === null) return leftOut.none(`responses of more than 25 MiB`, url);
  // answers of name servers and of other protocols are archived too
  if (!isWebAddress(url))
    return length === 0 ? null : leftOut.none("records whose addresses are not http or https", url);
  if (ms === null) return leftOut.none("records without a time", url);
  const digest = fields.get("warc-payload-digest") ?? null;
  // a revisit is not checked as below: its fields describe the bytes that it leaves out, which some programs (Wget) include in the block's
  // digest too
  if (type === "revisit") return revisitOf({ url, ms, digest, fields }, await readHttpAnswer(block, bodyMaxBytes));
  // a page without its end would look like a change
  if (fields.has("warc-truncated")) return leftOut.none("records that were cut off when they were made", url);
  if (fields.has("warc-segment-number")) return leftOut.none("records split into several parts", url);
  const blockDigest = fields.get("warc-block-digest");
  if (blockDigest !== undefined && !isDigestOf(blockDigest, block))
    return leftOut.none("records that do not match their digest", url);
  if (type === "resource")
    return {
      url,
      ms,
      status: 200,
      headers: {},
      contentType: fields.get("content-type") ?? "",
      content: { kind: "bytes", bytes: block, digest, record: recordKey(fields.get("warc-record-id")) },
    };
  const answer = await readHttpAnswer(block, bodyMaxBytes);
  if (answer === null) return leftOut.none("records without an HTTP response", url);
  const { headers, body } = answer;
  if (body === null)
    return leftOut.none("responses that are cut off, larger than 25 MiB or in an unknown encoding", url);
  // a 304 has no body (RFC 9110 §15.4.5): earlier versions of this product archived pages that had not changed with that status
  const status = answer.status === 304 && body.length > 0 ? 200 : answer.status;
  const record = recordKey(fields.get("warc-record-id"));
  const content = { kind: "bytes", bytes: body, digest, record } as const;
  return { url, ms, status, headers, contentType: typeOf(headers), content };
}

/**
 * Makes a capture that repeats an earlier record's bytes (ISO 28500 §6.7): they have the same payload, or the server said they had not
 * changed.
 */
function revisitOf(
  { url, ms, digest, fields }: { url: string; ms: number; digest: string | null; fields: ReadonlyMap<string, string> },
  answer: Awaited<ReturnType<typeof readHttpAnswer>>,
): Capture {
  const of = addressOf(fields.get("warc-refers-to-target-uri") ?? "") ?? url;
  const at = timeOfRecord(fields.get("warc-refers-to-date") ?? "");
  const status = answer === null || answer.status === 304 ? 200 : answer.status;
  const headers = answer?.headers ?? {};
  return {
    url,
    ms,
    status,
    headers,
    contentType: typeOf(headers),
    content: {
      ...{ kind: "same", digest, record: recordKey(fields.get("warc-refers-to")) },
      ...{ url: of, ms: at ?? ms, isDated: at !== null },
    },
  };
}

function typeOf(headers: Capture["headers"]): string {
  const value = headers["content-type"];
  return (Array.isArray(value) ? value[0] : value) ?? "";
}
