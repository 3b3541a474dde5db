import { AppError } from "@web-tester/contracts/errors";
import { type DiffResult, questions } from "@web-tester/contracts/messages";
import { contentGraceMs } from "@web-tester/records/contents/touch-contents";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import type { z } from "zod";
import type { Comparer } from "../steps/comparer.js";

type Reply = z.infer<typeof questions.diff.reply>;

/** Of a line beside its text. */
const lineBytes = 100;
const cachedMax = 256;
const cachedMaxBytes = 16 * 1024 * 1024;
/** So long after it was written an answer in the object store is far from being collected. */
const storedForMs = contentGraceMs / 2;

/** `until`: by the clock of `performance.now()`. */
interface Cached {
  reply: Reply;
  bytes: number;
  until: number;
}

/**
 * Handler of the question `diff`. Contents are named by hash, so an answer is true for ever and is kept in memory while
 * room lasts; large ones travel through the object store, where the collector removes them after the grace time.
 */
export function createAnswerDiff(store: ObjectStore, comparer: Comparer): (request: unknown) => Promise<Reply> {
  const cache = new Map<string, Cached>();
  let cachedBytes = 0;

  function forget(key: string): void {
    cachedBytes -= cache.get(key)?.bytes ?? 0;
    cache.delete(key);
  }

  function remember(key: string, entry: Cached): void {
    forget(key); // two may have asked at the same time
    cache.set(key, entry);
    cachedBytes += entry.bytes;
    for (const oldest of cache.keys()) {
      if (cache.size <= cachedMax && cachedBytes <= cachedMaxBytes) return;
      forget(oldest);
    }
  }

  /** Null where nothing is known that still holds. */
  async function recall(key: string): Promise<Reply | null> {
    const known = cache.get(key);
    if (known === undefined) return null;
    const { reply, until } = known;
    const isThere =
      performance.now() < until && ("inline" in reply || (await store.has(Buffer.from(reply.storedHunks, "hex"))));
    if (!isThere) {
      if (cache.get(key) === known) forget(key);
      return null;
    }
    // moves it to the end of the Map, as it was used last
    remember(key, known);
    return reply;
  }

  return async (request) => {
    const parsed = questions.diff.request.safeParse(request);
    if (!parsed.success)
      throw new AppError("invalid_input", "The question to the differ does not fit its schema.", {
        cause: parsed.error,
      });
    const { a, b, by, context } = parsed.data;
    const key = `${a.sha256}:${a.charset}:${b.sha256}:${b.charset}:${by}:${context}`;
    const known = await recall(key);
    if (known !== null) return known;
    const found = await comparer.compare(a, b, by, context);
    if (!("figures" in found)) {
      const reply = { inline: found };
      remember(key, { reply, bytes: bytesOf(found), until: Infinity });
      return reply;
    }
    const hash = hashContent(found.hunks);
    await store.write(hash, found.hunks);
    const reply = { figures: found.figures, storedHunks: hash.toString("hex") };
    remember(key, { reply, bytes: lineBytes, until: performance.now() + storedForMs });
    return reply;
  };
}

/** About how many bytes a result takes in memory. */
function bytesOf({ hunks }: DiffResult): number {
  let bytes = 0;
  for (const { lines } of hunks) for (const { text } of lines) bytes += lineBytes + text.length;
  return bytes;
}
