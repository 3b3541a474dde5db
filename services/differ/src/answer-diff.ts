import { AppError } from "@web-tester/contracts/errors";
import { type DiffResult, questions } from "@web-tester/contracts/messages";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";
import { hashContent } from "@web-tester/platform/storage/open-object-store";
import type { z } from "zod";
import type { Comparer } from "./comparer.js";

type Reply = z.infer<typeof questions.diff.reply>;

/** Of a line beside its text. */
const lineBytes = 100;
const cachedMax = 256;
const cachedMaxBytes = 16 * 1024 * 1024;

/**
 * Handler of the question `diff`. Contents are named by hash, so an answer is true for ever and is kept in memory while
 * room lasts; large ones travel through the object store, where the collector removes them after the grace time.
 */
export function createAnswerDiff(store: ObjectStore, comparer: Comparer): (request: unknown) => Promise<Reply> {
  const cache = new Map<string, { reply: Reply; bytes: number }>();
  let cachedBytes = 0;

  function remember(key: string, reply: Reply, bytes: number): void {
    cache.set(key, { reply, bytes });
    cachedBytes += bytes;
    for (const [oldest, entry] of cache) {
      if (cache.size <= cachedMax && cachedBytes <= cachedMaxBytes) return;
      cache.delete(oldest);
      cachedBytes -= entry.bytes;
    }
  }

  return async (request) => {
    const parsed = questions.diff.request.safeParse(request);
    if (!parsed.success)
      throw new AppError("invalid_input", "The question to the differ does not fit its schema.", {
        cause: parsed.error,
      });
    const { a, b, by, context } = parsed.data;
    const key = `${a.sha256}:${a.charset}:${b.sha256}:${b.charset}:${by}:${context}`;
    const known = cache.get(key);
    if (known !== undefined) {
      // used lately: to the end of the line
      cache.delete(key);
      cache.set(key, known);
      return known.reply;
    }
    const found = await comparer.compare(a, b, by, context);
    if (!("figures" in found)) {
      const reply = { inline: found };
      remember(key, reply, bytesOf(found));
      return reply;
    }
    const hash = hashContent(found.hunks);
    await store.write(hash, found.hunks);
    return { figures: found.figures, storedHunks: hash.toString("hex") };
  };
}

/** About what a result takes in memory. */
function bytesOf({ hunks }: DiffResult): number {
  let bytes = 0;
  for (const { lines } of hunks) for (const { text } of lines) bytes += lineBytes + text.length;
  return bytes;
}
