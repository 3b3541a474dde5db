import { LRUCache } from "lru-cache";
import { questions, type TextMarks } from "@web-tester/contracts/messages";
import { readQuestion } from "@web-tester/worker/read-question";
import type { Comparer } from "../steps/comparer.js";

const cachedMax = 16;

/**
 * Handler of the question `marks`. Both sides of a screen ask at the same time, so answers that are still being computed
 * are shared too.
 */
export function createAnswerMarks(comparer: Comparer): (request: unknown) => Promise<TextMarks> {
  const cache = new LRUCache<string, Promise<TextMarks>>({ max: cachedMax });
  return (request) => {
    const asked = readQuestion(questions.marks, request);
    const { a, b } = asked;
    const key = `${a.sha256}:${a.charset}:${b.sha256}:${b.charset}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const marks = comparer.mark(a, b);
    cache.set(key, marks);
    marks.catch(() => cache.delete(key));
    return marks;
  };
}
