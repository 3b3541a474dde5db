import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { isLost } from "./export-json.js";

/** How many contents are read at once, and about how many bytes of them wait at most; a single one may be larger. */
const atOnce = 8;
const bytesAtOnce = 512 * 1024;

/** A content to read; `hash` in hex, `size` of its bytes. */
export interface Wanted {
  hash: string;
  size: number;
}

/** Its bytes, or why they are missing. */
export type Found = { hash: string; bytes: Buffer } | { hash: string; fault: string };

/**
 * Reads contents in the order that is given, the next ones while one is used: a bucket answers each after a while only, which would add up.
 * @throws AppError unavailable
 */
export async function* readAhead(store: Pick<ObjectStore, "read">, wanted: Iterable<Wanted>): AsyncGenerator<Found> {
  const reading: { size: number; found: Promise<Found> }[] = [];
  let bytes = 0;
  for (const { hash, size } of wanted) {
    while (reading.length >= atOnce || (reading.length > 0 && bytes + size > bytesAtOnce)) {
      bytes -= reading[0]?.size ?? 0;
      yield* await first(reading);
    }
    const found = read(store, hash);
    // an error is thrown when its turn comes, and by nobody where the reader leaves before
    found.catch(() => undefined);
    reading.push({ size, found });
    bytes += size;
  }
  while (reading.length > 0) yield* await first(reading);
}

async function first(reading: { found: Promise<Found> }[]): Promise<Found[]> {
  const next = reading.shift();
  return next === undefined ? [] : [await next.found];
}

async function read(store: Pick<ObjectStore, "read">, hash: string): Promise<Found> {
  try {
    return { hash, bytes: await store.read(Buffer.from(hash, "hex")) };
  } catch (error) {
    if (isLost(error)) return { hash, fault: error.message };
    throw error;
  }
}
