import { pipeline } from "node:stream";
import { AppError } from "@web-tester/contracts/errors";
import { budgets } from "@web-tester/contracts/limits";
import { extract } from "tar-stream";

/** What an archive holds, in its order: bytes before the records that refer to them. */
export type ArchivePart =
  | { kind: "blob"; hash: string; bytes: Buffer }
  | { kind: "records"; chunks: AsyncIterable<Uint8Array> };

const blobName = /^blobs\/([0-9a-f]{64})$/;
const recordsName = /^records-\d{1,9}\.json$/;
const maxBytes = budgets.pageMaxBytes;

/**
 * Reads an archive that Export made, entry by entry. Names are compared with the two forms there are and used for nothing
 * else, so that none can lead anywhere.
 * @throws AppError invalid_json
 */
export async function* readArchive(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<ArchivePart> {
  const archive = extract();
  const failure: { error: unknown } = { error: null };
  pipeline(chunks, archive, (error) => (failure.error = error));
  let records = 0;
  try {
    for await (const entry of archive) {
      const { name, type, size } = entry.header;
      const hash = blobName.exec(name)?.[1];
      if (type !== "file" && type !== "contiguous-file") throw broken(`“${shown(name)}” in it is no plain file`);
      if (hash !== undefined) {
        yield { kind: "blob", hash, bytes: await whole(bytesOf(entry), size ?? 0, name) };
      } else if (recordsName.test(name)) {
        records++;
        yield { kind: "records", chunks: bytesOf(entry) };
        entry.resume();
      } else {
        throw broken(`it holds “${shown(name)}”, which no export has`);
      }
    }
  } catch (error) {
    if (failure.error instanceof AppError) throw failure.error;
    if (error instanceof AppError) throw error;
    throw broken("it cannot be read to its end");
  }
  if (records === 0) throw broken("it holds no records");
}

async function* bytesOf(entry: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const part of entry) if (part instanceof Uint8Array) yield part;
}

async function whole(entry: AsyncIterable<Uint8Array>, size: number, name: string): Promise<Buffer> {
  if (size > maxBytes) throw broken(`“${shown(name)}” in it is larger than ${maxBytes / 1024 / 1024} MiB`);
  const parts: Uint8Array[] = [];
  for await (const part of entry) parts.push(part);
  return Buffer.concat(parts);
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
