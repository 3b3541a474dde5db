import { promisify } from "node:util";
import { constants, zstdCompress, zstdCompressSync, zstdDecompress, zstdDecompressSync } from "node:zlib";
import { AppError } from "@web-tester/contracts/errors";

/*
 * A stored object says by itself how to read it:
 *   bytes 0-2  "WTO"
 *   byte  3    1 = content as it is, 2 = content as one zstd frame
 *   bytes 4-7  length of the content in bytes, big endian
 */
const magic = "WTO";
const asItIs = 1;
const zstd = 2;
export const headerBytes = 8;

/** Up to here compressing takes less time than handing it to another thread and back is worth. */
const syncMaxBytes = 64 * 1024;
/** Below this a zstd frame saves no disk block. */
const compressMinBytes = 64;
const level = 3;

const compressElsewhere = promisify(zstdCompress);
const decompressElsewhere = promisify(zstdDecompress);

/** The form in which content is stored: compressed where that makes it shorter. */
export async function wrap(content: Uint8Array): Promise<Buffer> {
  const packed = content.length < compressMinBytes ? null : await compress(content);
  const payload = packed !== null && packed.length < content.length ? packed : content;
  const wrapped = Buffer.allocUnsafe(headerBytes + payload.length);
  wrapped.write(magic, 0, "latin1");
  wrapped[3] = payload === packed ? zstd : asItIs;
  wrapped.writeUInt32BE(content.length, 4);
  wrapped.set(payload, headerBytes);
  return wrapped;
}

/**
 * The content of a stored form. Never makes more than `maxBytes`, whatever the stored bytes ask for.
 * @throws AppError content_damaged when this is no stored form
 */
export async function unwrap(stored: Buffer, maxBytes: number): Promise<Buffer> {
  if (stored.length < headerBytes || stored.toString("latin1", 0, 3) !== magic)
    throw damaged("it does not start like one");
  const size = stored.readUInt32BE(4);
  if (size > maxBytes) throw damaged(`it claims ${size} bytes of content where ${maxBytes} are allowed`);
  const payload = stored.subarray(headerBytes);
  const content = stored[3] === zstd ? await decompress(payload, size) : stored[3] === asItIs ? payload : null;
  if (content === null) throw damaged("it was made by a newer version");
  if (content.length !== size) throw damaged(`it holds ${content.length} bytes of content instead of ${size}`);
  return content;
}

async function compress(content: Uint8Array): Promise<Buffer> {
  const options = { params: { [constants.ZSTD_c_compressionLevel]: level }, pledgedSrcSize: content.length };
  return content.length <= syncMaxBytes ? zstdCompressSync(content, options) : compressElsewhere(content, options);
}

async function decompress(payload: Buffer, size: number): Promise<Buffer> {
  const options = { maxOutputLength: Math.max(size, 1) };
  try {
    return size <= syncMaxBytes ? zstdDecompressSync(payload, options) : await decompressElsewhere(payload, options);
  } catch (cause) {
    throw damaged("its compressed bytes cannot be read", cause);
  }
}

function damaged(why: string, cause?: unknown): AppError {
  return new AppError("content_damaged", `A stored object is damaged: ${why}.`, { cause });
}
