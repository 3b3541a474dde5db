import { RE2JS } from "re2js";
import { classOf } from "./value-class.js";
import { commonBeginning, commonEnd, sameNumbers, wordsBetween } from "./common-text.js";
import { beforeMoment, behindMoment } from "./moments.js";
import { listOf } from "./value-list.js";

/** Characters of the text around a value that identify it. */
const contextChars = 60;
const contextMin = 3;
const phraseMaxChars = 300;

/** The values that were seen at a place, each list in the order of the pages. */
export interface SeenValues {
  /** The text before each value: the part that is the same everywhere identifies the place. */
  readonly befores: readonly string[];
  readonly values: readonly string[];
  readonly afters: readonly string[];
}

/**
 * Returns an expression for a value in its text, with the value as its group, as narrow as its characters allow: digits
 * stay digits, letters and digits stay one word, and a few repeated words become a list.
 * @param mayBeWords whether the values are complete, not parts of longer words
 */
export function valuePattern({ befores, values, afters }: SeenValues, mayBeWords: boolean): string | null {
  const value = classOf(values, mayBeWords);
  return value === null ? null : around(befores, value, afters);
}

/** As `valuePattern`, for items of an array, each of which is one of those that an expression names. */
export function listPattern({ befores, afters }: SeenValues, item: string): string | null {
  return around(befores, `\\s*(?:${item})(?:\\s*,\\s*(?:${item}))*\\s*`, afters);
}

/** As `valuePattern`, for any words: it hides whatever is said there. */
export function phrasePattern({ befores, values, afters }: SeenValues): string | null {
  const [left, right] = contextsOf(befores, afters);
  const value = phraseBetween(left, values, right);
  return value === null || !isTelling(left, right) ? null : `${anyNumbers(left)}(${value})${anyNumbers(right)}`;
}

/** Returns the common text around values, without a date or time beside them, which will soon differ, with the names in it. */
function contextsOf(befores: readonly string[], afters: readonly string[]): [left: string, right: string] {
  const near = contextsIn(befores.map(behindMoment), afters.map(beforeMoment));
  return isTelling(...near) ? near : contextsIn(befores, afters);
}

function contextsIn(befores: readonly string[], afters: readonly string[]): [left: string, right: string] {
  return withoutNumbers(
    leftContext(commonEnd(befores.map(sameNumbers))),
    rightContext(commonBeginning(afters.map(sameNumbers))),
  );
}

/**
 * Cuts numbers beside a value off, with the word that counts with them, as they may soon differ; only where the rest still
 * identifies the value.
 */
function withoutNumbers(left: string, right: string): [left: string, right: string] {
  const near: [string, string] = [
    left.replace(/^.*\p{Nd}[^\s<>"']*(?:\s+[\p{L}]+)?/su, ""),
    right.replace(/\s*\p{Nd}.*$/su, ""),
  ];
  return isTelling(...near) && near.some((each) => each !== "") ? near : [left, right];
}

function around(befores: readonly string[], value: string, afters: readonly string[]): string | null {
  const [left, right] = contextsOf(befores, afters);
  return isTelling(left, right) ? `${anyNumbers(left)}(${value})${anyNumbers(right)}` : null;
}

/**
 * Returns an expression for what differs inside one text, between words that all of these texts have before and after it:
 * "just now" and "3 minutes ago", or one of a few advertisements in a paragraph. Null where they share too little, or the
 * difference is no kind of value and no list of a few texts.
 * @param values those of both versions, two for each of the texts around them
 */
export function partOfText({ befores, values, afters }: SeenValues): string | null {
  const texts = textsOf({ befores, values, afters });
  if (texts === null) return null;
  const { before, after, middles, isLeftOpen, isRightOpen } = texts;
  // where no common word comes before it, it begins its element
  const [left, right] = withoutNumbers(
    leftContext(isLeftOpen ? commonEnd(texts.tags.map(sameNumbers)) : before),
    rightContext(isRightOpen ? "<" : after),
  );
  const value = listOf(middles) ?? classOf(middles, false);
  if (value === null || left === "" || right === "" || !isTelling(left, right)) return null;
  return `${anyNumbers(left)}(${value})${anyNumbers(right)}`;
}

interface Texts {
  readonly tags: readonly string[];
  readonly before: string;
  readonly after: string;
  readonly middles: readonly string[];
  /** Whether no common word is on that side on all pages. */
  readonly isLeftOpen: boolean;
  readonly isRightOpen: boolean;
}

function textsOf({ befores, values, afters }: SeenValues): Texts | null {
  if (afters.some((after) => !/[<\n]/.test(after)) || values.some((value) => /[<>\n]/.test(value))) return null;
  const startOf = (text: string) => Math.max(text.lastIndexOf(">"), text.lastIndexOf("\n")) + 1;
  const heads = befores.map((text) => text.slice(startOf(text)));
  const tails = afters.map((text) => text.slice(0, text.search(/[<\n]/)));
  const words = wordsBetween(heads, tails);
  const middles = values.map((value, index) => {
    const text = Math.floor((index * heads.length) / values.length);
    return words.restOfHead[text] + value + words.restOfTail[text];
  });
  return {
    ...{ tags: befores.map((text) => text.slice(0, startOf(text))), before: words.before, after: words.after, middles },
    isLeftOpen: words.before === "",
    isRightOpen: words.after === "",
  };
}

/** Returns the same as `partOfText` for any words between the common beginning and end of these texts. */
export function anyPartOfText({ befores, values, afters }: SeenValues): string | null {
  const texts = textsOf({ befores, values, afters });
  if (texts === null) return null;
  const left = leftContext(texts.isLeftOpen ? commonEnd(texts.tags.map(sameNumbers)) : texts.before);
  const right = rightContext(texts.isRightOpen ? "<" : texts.after);
  const value = phraseBetween(left, values, right);
  return value === null ? null : `${anyNumbers(left)}(${value})${anyNumbers(right)}`;
}

/**
 * Returns an expression for any words, where the common text around them tells where they begin and end, as for an
 * advertisement inside a paragraph. Null where they are the whole text of an element: then that element is meant.
 */
function phraseBetween(left: string, values: readonly string[], right: string): string | null {
  if (right === "" || left === "" || values.some((value) => /[<>\n]/.test(value))) return null;
  if (Math.max(lettersIn(textOf(left)), lettersIn(textOf(right))) < contextMin) return null;
  const quote = [left.at(-1), right.at(0)].find((character) => character === '"' || character === "'") ?? "";
  return `[^<>\\n${quote}]{0,${phraseMaxChars}}?`;
}

/** Returns the visible text of a piece of a page; of one inside a tag or a script, all of it. */
function textOf(context: string): string {
  return context.replaceAll(/<[^<>]*>/g, "").replaceAll(/^[^<>]*>(?=.*<)|<[^<>]*$/g, "");
}

/** Returns the identifying part of a context, without names of tags and attributes, which many elements share. */
const telling = (context: string): string =>
  context.replaceAll(/<\/?[a-zA-Z][\w-]*/g, "").replaceAll(/[\w:-]+=(?=["'])/g, "");

const lettersIn = (text: string): number => text.replaceAll(/[\s\d]/g, "").length;

const isTelling = (left: string, right: string): boolean =>
  Math.max(lettersIn(telling(left)), lettersIn(telling(right))) >= contextMin;

/** Returns the last part of a text, from the beginning of a word or tag. */
function leftContext(before: string): string {
  const text = before.slice(-contextChars);
  const line = text.slice(Math.max(text.lastIndexOf("\n"), text.lastIndexOf(";"), text.lastIndexOf("{")) + 1);
  let tag = line.lastIndexOf("<");
  // a tag alone says little: the text before it is included
  while (
    tag > 0 &&
    lettersIn(line.slice(tag).replaceAll(/<[^<>]*>|<[^<>]*$/g, "")) < contextMin &&
    !/="[^<>]*$/.test(line)
  )
    tag = line.lastIndexOf("<", tag - 1);
  const near = tag <= 0 ? line : line.slice(tag);
  const isCut = near.length === text.length && before.length > text.length;
  return isCut ? near.replace(/^[^\s<>"'=]*[\s<>"'=]?/, "") : near;
}

function rightContext(after: string): string {
  const text = after.slice(0, contextChars / 2);
  const end = text.search(/[\n<]/);
  if (end === -1) return text.length < contextChars / 2 ? text : text.replace(/[^\s"']*$/, "");
  return text[end] === "<" ? text.slice(0, end + 1) : text.slice(0, end);
}

const anyDigits = (digits: string): string => (/^[0-9]/.test(digits) ? "[0-9]+" : "\\p{Nd}+");

/** Text as an expression; its numbers may be others on other pages. */
function anyNumbers(text: string): string {
  return text
    .split(/(\p{Nd}+)/u)
    .map((part, index) => (index % 2 === 1 ? anyDigits(part) : RE2JS.quote(part)))
    .join("");
}
