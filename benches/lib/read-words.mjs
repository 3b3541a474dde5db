// @ts-check
import { parseArgs } from "node:util";

/**
 * Returns the words after the name of a bench that takes no options. With `--help`, or where the words are invalid, prints
 * the usage and ends the process.
 * @param {string} usage
 * @param {(words: string[]) => boolean} [isRight]
 * @returns {string[]}
 */
export function readWords(usage, isRight = () => true) {
  const { values, positionals } = parseArgs({ options: { help: { type: "boolean" } }, allowPositionals: true });
  if (values.help === true) {
    console.log(usage);
    process.exit(0);
  }
  if (!isRight(positionals)) {
    console.error(usage);
    process.exit(1);
  }
  return positionals;
}

/** Whether there is no word, or a single one that is a whole number from 1 to 999,999. @param {string[]} words */
export const isCount = (words) => words.length === 0 || (words.length === 1 && /^[1-9]\d{0,5}$/.test(words[0] ?? ""));
