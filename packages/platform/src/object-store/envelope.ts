import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress, type ZstdOptions } from "node:zlib";
import { AppError } from "@web-tester/contracts/errors";
import { isSmall, openSmallZstd, type LoadedDictionary, type SmallZstd } from "./small-zstd.js";

/*
 * A stored object says by itself how to read it:
 *   bytes 0-2  "WTO"
 *   byte  3    1 = content as it is, 2 = content as one zstd frame,
 *              3 = as one zstd frame whose dictionary is an earlier version of the page,
 *              4 = as one zstd frame whose dictionary is shared by the pages of a site
 *   bytes 4-7  length of the content in bytes, big endian
 *   3 and 4    32 bytes: SHA-256 of the content that is the dictionary
 */
const magic = "WTO";
const codings = { asItIs: 1, zstd: 2, version: 3, dictionary: 4 } as const;
const knownCodings = Object.values(codings);
const fixedBytes = 8;
const hashBytes = 32;
/** The most bytes by which a stored form is longer than its content. */
export const headerBytes = fixedBytes + hashBytes;

/** Below this length compression saves no disk block. */
const compressMinBytes = 64;
const level = 3;
/** Large content is compressed and decompressed in chunks of this length. */
const bufferBytes = 64 * 1024;
/** Above this length, level 3's default tables (2^17 entries) remember too little of a page and its dictionary. */
const tablesMaxBytes = 512 * 1024;
/** A dictionary with these first bytes is parsed by zstd as one that it trained itself instead of as plain content (RFC 8878 §5). */
const trainedMagic = 0xec30a437;

const compressElsewhere = promisify<Uint8Array, ZstdOptions, Buffer>(zstdCompress);
const decompressElsewhere = promisify<Buffer, ZstdOptions, Buffer>(zstdDecompress);

/** Content that other content is compressed against. */
export interface Base {
  /** SHA-256 of the content, 32 bytes. */
  hash: Buffer;
  /** An earlier version of the same page, or a page whose boilerplate the site's other pages share. */
  kind: "version" | "dictionary";
}

/** Whether content can be a base: long enough, and taken by zstd as a plain-content dictionary. */
export function isFitAsBase(content: Buffer): boolean {
  return content.length >= compressMinBytes && content.readUInt32LE(0) !== trainedMagic;
}

/**
 * Returns the stored form of content: compressed if that makes it shorter.
 * @param base the base to compress against, with its bytes; must be fit (`isFitAsBase`)
 */
export async function wrap(content: Uint8Array, base: (Base & { bytes: Buffer }) | null = null): Promise<Buffer> {
  return form(content, base, content.length < compressMinBytes ? null : await compress(content, base?.bytes ?? null));
}

/** Like `wrap`, against a loaded base; the content must be small. */
export function wrapLoaded(content: Uint8Array, base: Base, loaded: LoadedDictionary, zstd: SmallZstd): Buffer {
  return form(content, base, content.length < compressMinBytes ? null : zstd.compress(content, loaded));
}

/** A stored form whose header was parsed and checked against the reader's limits. */
export interface Envelope {
  coding: (typeof codings)[keyof typeof codings];
  /** Bytes of content. */
  size: number;
  /** The base that has to be read first; null when there is none. */
  base: Base | null;
  payload: Buffer;
}

/**
 * Reads the header of a stored form.
 * @throws AppError content_damaged when this is no stored form, or claims more than `maxBytes` of content
 */
export function openEnvelope(stored: Buffer, maxBytes: number): Envelope {
  if (stored.length < fixedBytes || stored.toString("latin1", 0, 3) !== magic)
    throw damaged("it does not start like one");
  const size = stored.readUInt32BE(4);
  if (size > maxBytes) throw damaged(`it claims ${size} bytes of content where ${maxBytes} are allowed`);
  const coding = knownCodings.find((known) => known === stored[3]);
  if (coding === undefined) throw damaged("it was made by a newer version");
  if (coding === codings.asItIs || coding === codings.zstd)
    return { coding, size, base: null, payload: stored.subarray(fixedBytes) };
  if (stored.length < headerBytes) throw damaged("it ends within its header");
  const hash = stored.subarray(fixedBytes, headerBytes);
  const kind = coding === codings.version ? "version" : "dictionary";
  return { coding, size, base: { hash, kind }, payload: stored.subarray(headerBytes) };
}

/**
 * Decodes the content of a stored form. Never produces more bytes than the header says, whatever the compressed bytes claim.
 * @param base bytes of `envelope.base`, null when there is none
 * @throws AppError content_damaged
 */
export async function unwrap({ coding, size, payload }: Envelope, base: Buffer | null): Promise<Buffer> {
  const content = coding === codings.asItIs ? payload : await decompress(payload, size, base);
  if (content.length !== size) throw ofOtherLength(content.length, size);
  return content;
}

/** Loads small content that is only needed as a base into the codec. @throws AppError content_damaged */
export function loadBase(
  name: string,
  { coding, size, payload }: Envelope,
  dictionary: Buffer | null,
  zstd: SmallZstd,
): LoadedDictionary {
  const loaded = readable(() =>
    coding === codings.asItIs ? zstd.loadContent(name, payload) : zstd.load(name, payload, size, dictionary),
  );
  if (loaded.length === size) return loaded;
  zstd.unload(name);
  throw ofOtherLength(loaded.length, size);
}

/** Like `unwrap`, against a loaded base; the content must be small. @throws AppError content_damaged */
export function unwrapLoaded({ size, payload }: Envelope, base: LoadedDictionary, zstd: SmallZstd): Buffer {
  const content = readable(() => zstd.decompress(payload, size, base));
  if (content.length !== size) throw ofOtherLength(content.length, size);
  return content;
}

function form(content: Uint8Array, base: Base | null, packed: Uint8Array | null): Buffer {
  if (packed === null || packed.length + (base === null ? 0 : hashBytes) >= content.length)
    return join(codings.asItIs, content.length, null, content);
  return base === null
    ? join(codings.zstd, content.length, null, packed)
    : join(codings[base.kind], content.length, base.hash, packed);
}

function join(coding: number, size: number, base: Buffer | null, payload: Uint8Array): Buffer {
  const start = fixedBytes + (base === null ? 0 : hashBytes);
  const wrapped = Buffer.allocUnsafe(start + payload.length);
  wrapped.write(magic, 0, "latin1");
  wrapped[3] = coding;
  wrapped.writeUInt32BE(size, 4);
  if (base !== null) wrapped.set(base, fixedBytes);
  wrapped.set(payload, start);
  return wrapped;
}

async function compress(content: Uint8Array, dictionary: Buffer | null): Promise<Uint8Array> {
  if (isSmall(content.length, dictionary?.length)) return (await openSmallZstd()).compress(content, dictionary);
  return compressElsewhere(content, {
    params: { [constants.ZSTD_c_compressionLevel]: level, ...tables(content.length, dictionary) },
    pledgedSrcSize: content.length,
    chunkSize: bufferBytes,
    ...(dictionary === null ? {} : { dictionary }),
  });
}

/** Parameters for large dictionaries: tables that cover all of the dictionary (10 MiB against 10 MiB: 0.5 MB instead of 1.7 MB, at a third of the speed). */
function tables(length: number, dictionary: Buffer | null): Record<number, number> {
  if (dictionary === null || length + dictionary.length <= tablesMaxBytes) return {};
  const log = Math.ceil(Math.log2(length + dictionary.length));
  return {
    [constants.ZSTD_c_windowLog]: Math.min(log, 27),
    [constants.ZSTD_c_hashLog]: Math.min(log - 2, 22),
    [constants.ZSTD_c_chainLog]: Math.min(log - 2, 22),
  };
}

async function decompress(payload: Buffer, size: number, dictionary: Buffer | null): Promise<Buffer> {
  try {
    if (isSmall(size, dictionary?.length) && payload.length <= size)
      return (await openSmallZstd()).decompress(payload, size, dictionary);
    return await decompressElsewhere(payload, {
      maxOutputLength: Math.max(size, 1),
      // one byte more than the output, so that the end is noticed without a second buffer
      chunkSize: Math.max(64, Math.min(size, bufferBytes) + 1),
      ...(dictionary === null ? {} : { dictionary }),
    });
  } catch (cause) {
    throw unreadable(cause);
  }
}

function readable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    throw unreadable(cause);
  }
}

function unreadable(cause: unknown): AppError {
  return damaged("its compressed bytes cannot be read", cause);
}

function ofOtherLength(length: number, size: number): AppError {
  return damaged(`it holds ${length} bytes of content instead of ${size}`);
}

function damaged(why: string, cause?: unknown): AppError {
  return new AppError("content_damaged", `A stored object is damaged: ${why}.`, { cause });
}
