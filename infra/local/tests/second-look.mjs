// @ts-check
import { relative } from "node:path";
import { root } from "../bootstrap/project.mjs";

/** What fails in more files than these is no matter of chance. */
const filesMax = 4;

/**
 * Runs files in which tests failed once more, alone: on a machine that does much beside them, what waits for a condition may meet the end of its patience. What
 * passes then counts as passed, and is named, so that nobody takes it for sound; a whole file has to pass.
 * @param {readonly import("./jest.mjs").Failure[]} failures of a whole run
 * @param {(files: string[]) => Promise<import("./jest.mjs").Count & { failures: import("./jest.mjs").Failure[] }>} runAlone
 * @param {(line: string) => void} say
 * @returns {Promise<number>} how many of the failed tests passed
 */
export async function lookAgain(failures, runAlone, say) {
  if (failures.length === 0 || failures.length > filesMax) return 0;
  let passed = 0;
  for (const { file, titles } of failures) {
    const again = await runAlone([file]);
    if (again.failed > 0 || again.passed < titles.length) continue;
    passed += titles.length;
    for (const title of titles) say(`Failed beside others, passed alone: ${relative(root, file)}: ${title}`);
  }
  return passed;
}
