import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from "node:zlib";
import { budgets } from "@web-tester/contracts/limits";
import { looksBinary } from "@web-tester/html/charset/is-html";

/** An HTTP answer from a web archive, with transfer and content codings removed. */
export interface HttpAnswer {
  status: number;
  /** By lower-case name; a header that came several times has a list. */
  headers: Record<string, string | string[]>;
  /** Null where it is cut off, larger than the limit, or its coding is not known. */
  body: Buffer | null;
}

const headMaxBytes = budgets.headersMaxBytes;
/** Some servers end lines without a carriage return, and archives keep them unchanged. */
const blankLine = /\r?\n\r?\n/;
const lineEnd = /\r?\n/;

/**
 * Parses an HTTP answer.
 * @returns null where the block is none
 */
export async function readHttpAnswer(block: Buffer, bodyMaxBytes: number): Promise<HttpAnswer | null> {
  const start = block.toString("latin1", 0, headMaxBytes);
  const blank = blankLine.exec(start);
  // an answer without a body may end with its last header
  if (blank === null && block.length >= headMaxBytes) return null;
  const [first = "", ...lines] = start
    .slice(0, blank?.index)
    .replaceAll(/\r?\n[ \t]+/g, " ")
    .split(lineEnd);
  const status = /^HTTP\/\d(?:\.\d)? (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) return null;
  const headers = readHeaders(lines);
  const payload = blank === null ? Buffer.alloc(0) : block.subarray(blank.index + blank[0].length);
  const whole = /\bchunked\b/i.test(one(headers["transfer-encoding"])) ? withoutChunks(payload) : payload;
  const body = whole === null || isShort(payload, headers) ? null : await decoded(whole, headers, bodyMaxBytes);
  return { status: Number(status), headers, body };
}

/**
 * Whether a body is shorter than its server said: the connection broke off. A coded body may have been stored decoded, and a request for
 * the head alone has none.
 */
function isShort(payload: Buffer, headers: HttpAnswer["headers"]): boolean {
  if (headers["transfer-encoding"] !== undefined || headers["content-encoding"] !== undefined) return false;
  const length = one(headers["content-length"]);
  return payload.length > 0 && /^\d{1,12}$/.test(length) && payload.length < Number(length);
}

/** The text of a header; several values are joined by commas. */
export function one(value: string | string[] | undefined): string {
  return Array.isArray(value) ? value.join(", ") : (value ?? "");
}

function readHeaders(lines: readonly string[]): Record<string, string | string[]> {
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [, name, value = ""] = /^([!#$%&'*+.^_`|~\w-]+):(.*)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const key = name.toLowerCase();
    const text = value.trim().replaceAll("\0", "");
    const before = headers.get(key);
    if (before === undefined) headers.set(key, [text]);
    else before.push(text);
  }
  return Object.fromEntries(
    [...headers].map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : values]),
  );
}

/**
 * Removes chunked coding. Returns the payload itself where it is not chunked, because many programs store it decoded with the
 * unchanged header; null where the last chunk is missing.
 */
function withoutChunks(payload: Buffer): Buffer | null {
  // one buffer for all: a chunk may be a single byte, and an object for each would take a hundred times as much
  const content = Buffer.allocUnsafe(payload.length);
  let length = 0;
  for (let at = 0; ;) {
    const end = payload.indexOf("\r\n", at);
    const size = end === -1 || end - at > 64 ? null : chunkSize(payload, at, end);
    if (size === null) return at === 0 ? payload : null;
    if (size === 0) return content.subarray(0, length);
    const start = end + 2;
    if (start + size > payload.length) return null;
    length += payload.copy(content, length, start, start + size);
    at = start + size + 2;
  }
}

const [hexMaxDigits, semicolon, space, tab] = [8, 0x3b, 0x20, 0x09];

/** Reads the length of a chunk, and perhaps an extension behind it; null where there is none. */
function chunkSize(payload: Buffer, from: number, to: number): number | null {
  let size = 0;
  let at = from;
  for (; at < to && at - from < hexMaxDigits; at++) {
    const digit = hexDigit(payload[at] ?? 0);
    if (digit === null) break;
    size = size * 16 + digit;
  }
  const next = payload[at];
  const isEnd = at === to || next === semicolon || next === space || next === tab;
  return at === from || !isEnd ? null : size;
}

function hexDigit(code: number): number | null {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : null;
}

const zstdMagic = 0xfd2fb528;
/** Length of a gzip header without a name and other fields (RFC 1952 §2.3). */
const gzipHeaderBytes = 10;
/** Texts, which are no longer packed where they do not look it; a picture looks packed in any case. */
const textType = /^\s*(?:text\/|application\/(?:xhtml\+xml|xml|json|javascript))/i;

const decoders: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>>> = {
  gzip: withoutTrailer,
  "x-gzip": withoutTrailer,
  deflate: (bytes, options) => promisify(inflate)(bytes, options).catch(() => promisify(inflateRaw)(bytes, options)),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
};

/** Decompresses gzip; a wrong checksum behind the data, or something else there, is ignored, as browsers do. */
async function withoutTrailer(bytes: Buffer, options: { maxOutputLength: number }): Promise<Buffer> {
  try {
    return await promisify(gunzip)(bytes, options);
  } catch (error) {
    const isPlain = isGzip(bytes) && bytes[3] === 0;
    if (!isPlain || codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw error;
    return promisify(inflateRaw)(bytes.subarray(gzipHeaderBytes), options);
  }
}

async function decoded(bytes: Buffer, headers: HttpAnswer["headers"], maxBytes: number): Promise<Buffer | null> {
  const isText = textType.test(one(headers["content-type"]));
  const codings = one(headers["content-encoding"])
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (codings.length > budgets.contentCodingsMax) return null;
  let content = bytes;
  for (const name of codings.toReversed()) {
    const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
    // an unknown coding is mostly a misplaced charset or a step internal to the server: text is then used as it is, as browsers do
    if (decode === undefined && !looksBinary(content)) continue;
    if (decode === undefined) return null;
    try {
      content = await decode(content, { maxOutputLength: maxBytes });
    } catch (error) {
      const isPacked = beginsPacked(content) || (isText && looksBinary(content));
      if (isPacked || codeOf(error) === "ERR_BUFFER_TOO_LARGE") return null;
      // many programs store the decoded content with the unchanged header
      return content.length <= maxBytes ? content : null;
    }
  }
  return content.length <= maxBytes ? content : null;
}

function codeOf(error: unknown): unknown {
  return typeof error === "object" && error !== null && "code" in error ? error.code : null;
}

/** Whether bytes begin like gzip, zstd or zlib: then they are damaged or cut off. Brotli cannot be recognised by its first bytes. */
function beginsPacked(bytes: Buffer): boolean {
  if (isGzip(bytes)) return true;
  if (bytes.length < 4) return false;
  return bytes.readUInt32LE(0) === zstdMagic || ((bytes.readUInt8(0) & 0x0f) === 8 && bytes.readUInt16BE(0) % 31 === 0);
}

function isGzip(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}
