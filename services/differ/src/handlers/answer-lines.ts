import { questions } from "@web-tester/contracts/messages";
import { readQuestion } from "@web-tester/worker/read-question";
import type { z } from "zod";
import type { Comparer } from "../steps/comparer.js";

/** Handler of the question `lines`. */
export function createAnswerLines(
  comparer: Pick<Comparer, "lines">,
): (request: unknown) => Promise<z.infer<typeof questions.lines.reply>> {
  return async (request) => {
    const { of, as, from, to } = readQuestion(questions.lines, request);
    return { lines: await comparer.lines(of, as, from, to) };
  };
}
