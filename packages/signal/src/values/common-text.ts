/** Numbers around a value may be others on other pages. */
export const sameNumbers = (text: string): string =>
  text.replaceAll(/[0-9]+/g, "0").replaceAll(/[\p{Nd}--[0-9]]+/gv, "\u0660");

export function commonEnd(texts: readonly string[]): string {
  return texts.reduce((one, other) => {
    let length = 0;
    while (length < Math.min(one.length, other.length) && one.at(-1 - length) === other.at(-1 - length)) length += 1;
    return one.slice(one.length - length);
  });
}

export function commonBeginning(texts: readonly string[]): string {
  return texts.reduce((one, other) => {
    let length = 0;
    while (length < Math.min(one.length, other.length) && one[length] === other[length]) length += 1;
    return one.slice(0, length);
  });
}

/** Words that all texts have before and behind what differs in them, and what of each text stands between. */
export interface WordsBetween {
  /** The last words that all heads have; empty where there are none. */
  readonly before: string;
  readonly after: string;
  /** By text: what of its head and of its tail is on the inner side of these words. */
  readonly restOfHead: readonly string[];
  readonly restOfTail: readonly string[];
}

const wordsMaxChars = 60;
const wordsMinLetters = 3;
const textsTried = 12;

/**
 * Texts of several pages begin otherwise, and what differs in them begins otherwise too, where two values begin alike: what all of them have nearest to it is
 * looked for.
 * @param heads what stands before the difference in each text @param tails what stands behind it
 */
export function wordsBetween(heads: readonly string[], tails: readonly string[]): WordsBetween {
  const before = lastWords(heads);
  const after = reversed(lastWords(tails.map(reversed)));
  return {
    before,
    after,
    restOfHead: heads.map((head) => behind(head, before)),
    restOfTail: tails.map((tail) => reversed(behind(reversed(tail), reversed(after)))),
  };
}

/** The longest end of one of these texts, from the beginning of a word on, that all of them hold. Numbers count as equal; they are those of the first text. */
function lastWords(texts: readonly string[]): string {
  const plain = texts.map(sameNumbers);
  const [...distinct] = new Set(plain);
  let longest = "";
  for (const text of distinct.toSorted((one, other) => one.length - other.length).slice(0, textsTried)) {
    for (const start of wordStarts(text)) {
      const end = text.slice(start);
      if (end.length <= longest.length) break;
      if (end.replaceAll(/[\s0\u0660]/g, "").length >= wordsMinLetters && plain.every((each) => each.includes(end))) {
        longest = end;
        break;
      }
    }
  }
  return longest;
}

/** Beginnings of words, from the first one in the last characters on. */
function wordStarts(text: string): number[] {
  const from = Math.max(0, text.length - wordsMaxChars);
  return [...text.slice(from).matchAll(/(?<![\p{L}\p{N}_])[\p{L}\p{N}_]|[^\p{L}\p{N}_\s]/gu)].map(
    ({ index }) => from + index,
  );
}

/** What stands behind the last place of some words, whose numbers may be others. */
function behind(text: string, words: string): string {
  if (words === "") return text;
  const parts = words.split(/\p{Nd}+/u).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
  const last = [...text.matchAll(new RegExp(parts.join(String.raw`\p{Nd}+`), "gu"))].at(-1);
  return last === undefined ? text : text.slice(last.index + last[0].length);
}

const reversed = (text: string): string => [...text].toReversed().join("");
