import { LRUCache } from "lru-cache";
import { AppError } from "@web-tester/contracts/errors";
import { questions, type TextMarks } from "@web-tester/contracts/messages";
import type { Comparer } from "../steps/comparer.js";

const cachedMax = 16;

/** Handler of the question `marks`. Both sides of a screen ask at the same time, so questions under way are shared too. */
export function createAnswerMarks(comparer: Comparer): (request: unknown) => Promise<TextMarks> {
  const cache = new LRUCache<string, Promise<TextMarks>>({ max: cachedMax });
  return (request) => {
    const parsed = questions.marks.request.safeParse(request);
    if (!parsed.success)
      throw new AppError("invalid_input", "The question to the differ does not fit its schema.", {
        cause: parsed.error,
      });
    const { a, b } = parsed.data;
    const key = `${a.sha256}:${a.charset}:${b.sha256}:${b.charset}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const marks = comparer.mark(a, b);
    cache.set(key, marks);
    marks.catch(() => cache.delete(key));
    return marks;
  };
}
