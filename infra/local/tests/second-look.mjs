// @ts-check
import { relative } from "node:path";
import { root } from "../bootstrap/project.mjs";

/** If more files than this fail, it is not by chance and none is run again. */
const filesMax = 4;

/**
 * Runs files with failed tests once more, alone: on a busy machine a test that waits for a condition may time out. A file that passes now
 * counts as passed and is named, so that nobody takes it for sound; a whole file has to pass.
 * @param {readonly import("./jest.mjs").Failure[]} failures of a whole run
 * @param {(files: string[]) => Promise<import("./jest.mjs").Count & { failures: import("./jest.mjs").Failure[] }>} runAlone
 * @param {(line: string) => void} say
 * @returns {Promise<number>} how many of the failures were made good
 */
export async function lookAgain(failures, runAlone, say) {
  if (failures.length === 0 || failures.length > filesMax) return 0;
  let passed = 0;
  for (const { file, titles, isBroken } of failures) {
    const again = await runAlone([file]);
    if (again.failed > 0 || again.passed === 0 || again.passed < titles.length) continue;
    const all = isBroken ? [...titles, "the file as a whole"] : titles;
    passed += all.length;
    for (const title of all) say(`Failed beside others, passed alone: ${relative(root, file)}: ${title}`);
  }
  return passed;
}
