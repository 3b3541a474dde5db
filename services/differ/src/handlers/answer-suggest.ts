import { questions } from "@web-tester/contracts/messages";
import { readQuestion } from "@web-tester/worker/read-question";
import type { z } from "zod";
import type { Comparer } from "../steps/comparer.js";

/** Handler of the question `suggestRules`. */
export function createAnswerSuggest(
  comparer: Pick<Comparer, "suggest">,
): (request: unknown) => Promise<z.infer<typeof questions.suggestRules.reply>> {
  return async (request) => {
    const { a, b, at, path, rules } = readQuestion(questions.suggestRules, request);
    return { rules: await comparer.suggest(a, b, at, { path, rules }) };
  };
}
