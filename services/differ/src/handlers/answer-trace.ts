import type { ContentForm } from "@web-tester/contracts/entities/vocabulary";
import { questions } from "@web-tester/contracts/messages";
import { AppError } from "@web-tester/contracts/errors";
import { readQuestion } from "@web-tester/worker/read-question";
import type { z } from "zod";
import { findBoundary } from "../pure/find-boundary.js";
import type { Comparer, Side } from "../steps/comparer.js";

/** The most characters of a line that are shown. */
const shownMax = 1_000;
/**
 * Versions that are read one after the other in each direction; only beyond them some are skipped, so that long histories
 * are answered as fast as short ones.
 */
const nearReads = 6;

/** Handler of the question `trace`. */
export function createAnswerTrace(
  comparer: Pick<Comparer, "lines" | "line" | "has">,
): (request: unknown) => Promise<z.infer<typeof questions.trace.reply>> {
  const lineOf = async (of: Side, as: ContentForm, line: number) => {
    const sought = await comparer.line(of, as, line);
    return sought === null ? null : { of, line, sought };
  };
  return async (request) => {
    const { versions, at, as, sought } = readQuestion(questions.trace, request);
    const asked = versions[at];
    if (asked === undefined) throw new AppError("internal", `There is no version ${at} among ${versions.length}.`);
    const looked = "text" in sought ? sought : await lineOf(asked, as, sought.line);
    if (looked === null)
      return { problem: "no such line", lines: (await comparer.lines(asked, as, 1, linesMax)).length };
    const text = "text" in looked ? looked.text : looked.sought.text.slice(0, shownMax);
    /** The answers by content: a page that goes back and forth has few different versions. */
    const known = new Map<string, Promise<boolean>>();
    const has = (place: number): Promise<boolean> => {
      const version = versions[place];
      if (version === undefined)
        throw new AppError("internal", `There is no version ${place} among ${versions.length}.`);
      const key = `${version.sha256} ${version.charset}`;
      const found = known.get(key) ?? comparer.has(version, as, looked);
      known.set(key, found);
      return found;
    };
    const present = "text" in sought ? await has(at) : true;
    const towards = (end: number) => {
      let reads = 0;
      const isAsHere = async (place: number) => {
        const before = known.size;
        const found = has(place);
        reads += known.size - before;
        return (await found) === present;
      };
      return findBoundary(at, end, isAsHere, () => reads < nearReads);
    };
    const [older, younger] = await Promise.all([towards(0), towards(versions.length - 1)]);
    return {
      ...{ present, text, reads: known.size, passed: older.passed + younger.passed },
      ...{ before: older.otherwise, first: older.last, last: younger.last, after: younger.otherwise },
    };
  };
}

const linesMax = 10_000_000;
