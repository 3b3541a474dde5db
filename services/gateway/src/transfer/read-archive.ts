import { pipeline } from "node:stream";
import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { Pieces } from "@web-tester/platform/lifecycle/streams";
import { extract } from "tar-stream";

/** A part of an archive; they come in its order: bytes before the records that refer to them. */
export type ArchivePart =
  | { kind: "blob"; hash: string; bytes: Buffer }
  | { kind: "records"; chunks: AsyncIterable<Uint8Array> };

const blobName = /^blobs\/([0-9a-f]{64})$/;
const recordsName = /^records-\d{1,9}\.json$/;
const maxBytes = budgets.pageMaxBytes;

/**
 * An archive ends with two blocks of zeros (POSIX.1-1988); one without them was cut off between two files, and would otherwise pass
 * for a smaller archive.
 */
const blockBytes = 512;
const endBytes = 2 * blockBytes;

/**
 * Reads an archive made by Export, entry by entry. Entry names are only compared with the two known forms and used for nothing else,
 * so that none can lead anywhere. Callers have to read all parts to the end: only then it is certain that the archive is complete.
 * @throws AppError invalid_json; so does iterating the chunks of a part
 */
export async function* readArchive(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ArchivePart> {
  const archive = extract();
  const failure: { error: unknown } = { error: null };
  const end = watchEnd(chunks);
  pipeline(end.chunks, archive, (error) => (failure.error = error));
  /** Prefers the upload's own error, which says more than its effect on the archive. */
  const reasonOf = (error: unknown): unknown => {
    if (failure.error instanceof AppError) return failure.error;
    return error instanceof AppError ? error : broken("it ends before it is complete, or is damaged");
  };
  let records = 0;
  try {
    for await (const entry of archive) {
      const { name, type, size } = entry.header;
      const hash = blobName.exec(name)?.[1];
      if (type !== "file" && type !== "contiguous-file") throw broken(`“${shown(name)}” in it is no plain file`);
      if (hash !== undefined) {
        yield { kind: "blob", hash, bytes: await whole(bytesOf(entry, size ?? 0, reasonOf), size ?? 0, name) };
      } else if (recordsName.test(name)) {
        records++;
        yield { kind: "records", chunks: bytesOf(entry, size ?? 0, reasonOf) };
        entry.resume();
      } else {
        throw broken(`it holds “${shown(name)}”, which no export has`);
      }
    }
  } catch (error) {
    throw reasonOf(error);
  }
  if (records === 0) throw broken("it holds no records");
  if (!end.isMarked()) throw broken("it ends before it is complete");
}

/** Passes chunks on, and tells after the last one whether it ended as archives do. */
function watchEnd(chunks: AsyncIterable<Uint8Array>): { chunks: AsyncIterable<Uint8Array>; isMarked(): boolean } {
  let zeros = 0;
  let length = 0;
  async function* watched(): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      const last = chunk.findLastIndex((byte) => byte !== 0);
      zeros = last === -1 ? zeros + chunk.length : chunk.length - 1 - last;
      length += chunk.length;
      yield chunk;
    }
  }
  return { chunks: watched(), isMarked: () => zeros >= endBytes && length % blockBytes === 0 };
}

/**
 * Yields the bytes of a file in the archive.
 * @throws AppError where the archive breaks off in this file
 */
async function* bytesOf(
  entry: AsyncIterable<unknown>,
  size: number,
  reasonOf: (error: unknown) => unknown,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  try {
    for await (const part of entry) {
      if (!(part instanceof Uint8Array)) continue;
      read += part.length;
      yield part;
    }
  } catch (error) {
    throw reasonOf(error);
  }
  if (read < size) throw reasonOf(null);
}

async function whole(entry: AsyncIterable<Uint8Array>, size: number, name: string): Promise<Buffer> {
  if (size > maxBytes) throw broken(`“${shown(name)}” in it is larger than ${maxBytes / 1024 / 1024} MiB`);
  const pieces = new Pieces();
  for await (const part of entry) pieces.add(Buffer.from(part.buffer, part.byteOffset, part.length));
  return pieces.whole();
}

function broken(why: string): AppError {
  return new AppError(
    "invalid_json",
    `Invalid archive: ${why}. Nothing was imported; choose a file that was made by Export.`,
  );
}

function shown(name: string): string {
  return JSON.stringify(name.slice(0, 80)).slice(1, -1);
}
