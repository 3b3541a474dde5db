import { LRUCache } from "lru-cache";
import { type DiffResult, questions } from "@web-tester/contracts/messages";
import { readQuestion } from "@web-tester/worker/read-question";
import { contentGraceMs } from "@web-tester/records/contents/touch-contents";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import { hashRules } from "@web-tester/signal/rules/rule-set";
import type { z } from "zod";
import type { Comparer } from "../steps/comparer.js";

type Reply = z.infer<typeof questions.diff.reply>;

/** The bytes that a line takes in memory besides its text. */
const lineBytes = 100;
const cachedMax = 256;
const cachedMaxBytes = 16 * 1024 * 1024;
/** For this long after it was written, an answer in the object store is safe from garbage collection. */
const storedForMs = contentGraceMs / 2;

/**
 * Handler of the question `diff`. Contents are named by hash, so an answer never becomes wrong and is cached in memory
 * while there is room; large answers travel through the object store, where the collector removes them after the grace
 * time.
 */
export function createAnswerDiff(store: ObjectStore, comparer: Comparer): (request: unknown) => Promise<Reply> {
  const cache = new LRUCache<string, Reply>({ max: cachedMax, maxSize: cachedMaxBytes, perf: performance });

  /** Returns the cached answer, null where there is none or its bytes are gone. */
  async function recall(key: string): Promise<Reply | null> {
    const known = cache.get(key);
    if (known === undefined) return null;
    if ("inline" in known || (await store.has(Buffer.from(known.storedHunks, "hex")))) return known;
    if (cache.peek(key) === known) cache.delete(key);
    return null;
  }

  return async (request) => {
    const asked = readQuestion(questions.diff, request);
    const { a, b, by, context, as, path, rules } = asked;
    const [readA, readB] = [a, b].map(({ readAs }) => (readAs === undefined ? "" : `:${readAs.from}>${readAs.to}`));
    const key = `${a.sha256}:${a.charset}${readA}:${b.sha256}:${b.charset}${readB}:${by}:${context}:${as}${rules.length === 0 ? "" : `:${hashRules(rules).toString("hex")}:${path}`}`;
    const known = await recall(key);
    if (known !== null) return known;
    const found = await comparer.compare(a, b, by, context, as, { path, rules });
    if (!("figures" in found)) {
      const reply = { inline: found };
      cache.set(key, reply, { size: Math.max(1, bytesOf(found)) });
      return reply;
    }
    const hash = hashContent(found.hunks);
    await store.write(hash, found.hunks);
    const reply = { figures: found.figures, storedHunks: hash.toString("hex") };
    cache.set(key, reply, { size: lineBytes, ttl: storedForMs });
    return reply;
  };
}

/** About how many bytes a result takes in memory. */
function bytesOf({ hunks }: DiffResult): number {
  let bytes = 0;
  for (const { lines } of hunks) for (const { text } of lines) bytes += lineBytes + text.length;
  return bytes;
}
