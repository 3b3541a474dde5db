import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { SitemapDocument } from "./sitemap-document.js";
import type { SitemapBatch, SitemapOptions, SitemapReport } from "./sitemap-report.js";

/**
 * Reads one sitemap as its bytes arrive: urlset, index, text (an address per line), RSS 2.0 and 1.0, Atom; in UTF-8,
 * UTF-16 or the encoding that its XML declaration names; gzip is known by its first bytes, whatever the name or content
 * type, also where a packed file was packed once more.
 *
 * Never throws for anything in the file: of files that are cut off, hold raw `&` or stray tags, it reads what can be read;
 * a DOCTYPE is refused (entity bombs), as is HTML. Stops at 50,000 addresses or 50 MiB unpacked. Memory holds one batch,
 * and a number for each distinct address.
 * @param body the bytes in pieces of any size
 * @param take is given up to 1,000 addresses at a time and is awaited
 * @throws what `body` or `take` throw
 */
export async function readSitemap(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: SitemapOptions,
  take: (batch: SitemapBatch) => Promise<void> | void,
): Promise<SitemapReport> {
  const document = new SitemapDocument(options);
  const source = { isDamaged: false };
  const budget = { isSpent: false };
  const maxBytes = options.maxBytes ?? 50 * 1024 * 1024;
  let pieces = inPieces(body);
  for (let layer = 0; layer < layersMax; layer += 1) pieces = withinBudget(unpacked(pieces, source), maxBytes, budget);
  for await (const piece of pieces) {
    document.write(piece);
    if (document.waiting >= batchSize) await take(document.takeBatch());
    if (document.isDone) break;
  }
  document.end({ isDamaged: source.isDamaged, isOverBudget: budget.isSpent });
  while (document.waiting > 0) await take(document.takeBatch());
  return document.report();
}

/** Some servers pack a file again that lies packed on their disk, without saying so. */
const layersMax = 2;
const batchSize = 1_000;
const pieceBytes = 64 * 1024;

/** Splits the body into pieces that each cost a few milliseconds, and yields to the event loop between them. */
async function* inPieces(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      yield chunk.subarray(at, at + pieceBytes);
      await setImmediate();
    }
  }
}

async function* withinBudget(
  pieces: AsyncIterable<Uint8Array>,
  maxBytes: number,
  budget: { isSpent: boolean },
): AsyncGenerator<Uint8Array> {
  let left = maxBytes;
  for await (const piece of pieces) {
    yield piece.subarray(0, left);
    if (piece.length > left) {
      budget.isSpent = true;
      return;
    }
    left -= piece.length;
  }
}

/**
 * The pieces, unpacked where the first two bytes are those of gzip; a damaged or cut-off archive yields what could be unpacked.
 */
async function* unpacked(
  pieces: AsyncGenerator<Uint8Array>,
  source: { isDamaged: boolean },
): AsyncGenerator<Uint8Array> {
  const head = await firstBytes(pieces);
  const all = joined(head, pieces);
  if (head[0] !== 0x1f || head[1] !== 0x8b) return yield* all;
  const packed = Readable.from(all);
  const gunzip = createGunzip();
  packed.on("error", (error) => gunzip.destroy(error));
  try {
    yield* packed.pipe(gunzip);
  } catch (error) {
    if (!isZlibError(error)) throw error;
    source.isDamaged = true;
  } finally {
    packed.destroy();
  }
}

async function firstBytes(pieces: AsyncGenerator<Uint8Array>): Promise<Uint8Array> {
  let head = new Uint8Array();
  while (head.length < 2) {
    const next = await pieces.next();
    if (next.done === true) return head;
    head = Buffer.concat([head, next.value]);
  }
  return head;
}

async function* joined(head: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  yield* rest;
}

function isZlibError(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    typeof error.code === "string" &&
    error.code.startsWith("Z_")
  );
}
