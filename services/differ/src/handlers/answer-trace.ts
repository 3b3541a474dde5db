import { questions } from "@web-tester/contracts/messages";
import { AppError } from "@web-tester/contracts/errors";
import { readQuestion } from "@web-tester/worker/read-question";
import type { z } from "zod";
import { findBoundary } from "../pure/find-boundary.js";
import type { Comparer } from "../steps/comparer.js";

/** Of a line, what is shown of it. */
const shownMax = 1_000;

/** Handler of the question `trace`. */
export function createAnswerTrace(
  comparer: Pick<Comparer, "lines" | "has">,
): (request: unknown) => Promise<z.infer<typeof questions.trace.reply>> {
  return async (request) => {
    const { versions, at, as, sought } = readQuestion(questions.trace, request);
    const asked = versions[at];
    if (asked === undefined) throw new AppError("internal", `There is no version ${at} among ${versions.length}.`);
    let reads = 0;
    let text = "text" in sought ? sought.text : "";
    if ("line" in sought) {
      const [line] = await comparer.lines(asked, as, sought.line, sought.line);
      if (line === undefined)
        return { problem: "no such line", lines: (await comparer.lines(asked, as, 1, linesMax)).length };
      text = line.slice(0, shownMax);
    }
    const has = async (place: number): Promise<boolean> => {
      const version = versions[place];
      if (version === undefined)
        throw new AppError("internal", `There is no version ${place} among ${versions.length}.`);
      reads += 1;
      return comparer.has(version, as, "text" in sought ? sought : { of: asked, line: sought.line });
    };
    const present = "text" in sought ? await has(at) : true;
    const isAsHere = async (place: number) => (await has(place)) === present;
    const [older, younger] = await Promise.all([
      findBoundary(at, 0, isAsHere),
      findBoundary(at, versions.length - 1, isAsHere),
    ]);
    return {
      ...{ present, text, reads },
      ...{ before: older.otherwise, first: older.last, last: younger.last, after: younger.otherwise },
    };
  };
}

const linesMax = 10_000_000;
