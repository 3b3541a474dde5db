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

/** The words that all texts have before and after their difference, and the part of each text in between. */
export interface WordsBetween {
  /** The last words that all heads have; empty where there are none. */
  readonly before: string;
  readonly after: string;
  /** By text: the parts of its head and its tail that lie between these words. */
  readonly restOfHead: readonly string[];
  readonly restOfTail: readonly string[];
}

const wordsMaxChars = 60;
const wordsMinLetters = 3;
const textsTried = 12;

/**
 * Finds the words nearest to a difference that all texts have around it. Texts of several pages begin differently, and
 * where the two values of one text begin alike, its difference begins later.
 * @param heads the part of each text before the difference @param tails the part after it
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

/**
 * Returns the longest end of one of these texts, from the beginning of a word, that all of them contain. Numbers count as
 * equal; the result has 0 in place of each.
 */
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

/** Returns the beginnings of words in the last `wordsMaxChars` characters. */
function wordStarts(text: string): number[] {
  const from = Math.max(0, text.length - wordsMaxChars);
  return [...text.slice(from).matchAll(/(?<![\p{L}\p{N}_])[\p{L}\p{N}_]|[^\p{L}\p{N}_\s]/gu)].map(
    ({ index }) => from + index,
  );
}

/** Returns the text after the last occurrence of some words, whose numbers may differ. */
function behind(text: string, words: string): string {
  if (words === "") return text;
  const parts = words.split(/\p{Nd}+/u).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`));
  const last = [...text.matchAll(new RegExp(parts.join(String.raw`\p{Nd}+`), "gu"))].at(-1);
  return last === undefined ? text : text.slice(last.index + last[0].length);
}

const reversed = (text: string): string => [...text].toReversed().join("");
