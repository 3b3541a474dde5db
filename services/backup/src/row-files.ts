import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Readable, Transform, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress, createZstdDecompress } from "node:zlib";
import type { StoredFile } from "./backup-folder.js";

/** Writes a stream into a new compressed file; it is synced to disk when this returns. */
export async function writeRowFile(source: Readable, folder: string, file: string): Promise<StoredFile> {
  const hash = createHash("sha256");
  let bytes = 0;
  const measured = new Transform({
    transform(part: Buffer, _encoding, done) {
      hash.update(part);
      bytes += part.length;
      done(null, part);
    },
  });
  const target = createWriteStream(join(folder, file), { flags: "wx", mode: 0o600, flush: true });
  await pipeline(source, createZstdCompress(), measured, target);
  return { file, bytes, sha256: hash.digest("hex") };
}

/** Decompresses a file that `writeRowFile` wrote into a stream. */
export async function readRowFile(folder: string, file: string, target: Writable): Promise<void> {
  await pipeline(createReadStream(join(folder, file)), createZstdDecompress(), target);
}

/** Yields the lines of a file that `writeRowFile` wrote. */
export async function* rowFileLines(folder: string, file: string): AsyncIterable<string> {
  const source = createReadStream(join(folder, file));
  const text = source.pipe(createZstdDecompress());
  source.once("error", (error) => text.destroy(error));
  try {
    yield* createInterface({ input: text, crlfDelay: Infinity });
  } finally {
    source.destroy();
    text.destroy();
  }
}
