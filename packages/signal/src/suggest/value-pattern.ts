import { RE2JS } from "re2js";

/** Characters of the text around a value that say which value it is. */
const contextChars = 60;
const contextMin = 3;
/** So few values that were seen so often are all there are. */
const variantsMax = 8;
const seenEach = 3;
const phraseMaxChars = 300;

/**
 * An expression for a value in its text, which is the group in it, as narrow as its characters tell: digits stay digits, letters and digits stay one word, and of
 * a few words that come again and again it is these. For other words there is none: it would hide whatever is said there.
 * @param befores, afters what stands around it wherever it was seen: what is the same everywhere says which value it is
 * @param values as they were seen
 * @param mayBeWords whether any words may stand there, where what stands around them says where they end
 */
export function valuePattern(
  befores: readonly string[],
  values: readonly string[],
  afters: readonly string[],
  mayBeWords: boolean,
): string | null {
  const [left, right] = [
    leftContext(commonEnd(befores.map(sameNumbers))),
    rightContext(commonBeginning(afters.map(sameNumbers))),
  ];
  const value = classOf(values, mayBeWords) ?? (mayBeWords ? phraseBetween(left, values, right) : null);
  if (value === null || Math.max(lettersIn(telling(left)), lettersIn(telling(right))) < contextMin) return null;
  return `${anyNumbers(left)}(${value})${anyNumbers(right)}`;
}

/**
 * An expression for what differs inside one text, between what all of these texts begin with and what they all end with, wherever in it the difference was seen:
 * "just now" and "3 minutes ago". Null where they share too little.
 */
export function partOfText(
  befores: readonly string[],
  values: readonly string[],
  afters: readonly string[],
): string | null {
  if (afters.some((after) => !/[<\n]/.test(after))) return null;
  const startOf = (before: string) => Math.max(before.lastIndexOf(">"), before.lastIndexOf("\n")) + 1;
  const heads = befores.map((before) => sameNumbers(before.slice(startOf(before))));
  const tails = afters.map((after) => sameNumbers(after.slice(0, after.search(/[<\n]/))));
  const [head, tail] = [commonBeginning(heads), commonEnd(tails)];
  const tags = commonEnd(befores.map((before) => sameNumbers(before.slice(0, startOf(before)))));
  const left = leftContext(tags + (heads.every((each) => each === head) ? head : head.replace(/[\p{L}\p{N}]+$/u, "")));
  const right = rightContext(`${tails.every((each) => each === tail) ? tail : tail.replace(/^[\p{L}\p{N}]+/u, "")}<`);
  const value = phraseBetween(left, values, right);
  return value === null ? null : `${anyNumbers(left)}(${value})${anyNumbers(right)}`;
}

/** Numbers around a value may be others on other pages. */
const sameNumbers = (text: string): string => text.replaceAll(/\d+/g, "0");

/**
 * Any words, where what stands around them on all pages says where they begin and end: an advertisement inside a paragraph. Null where it is all that
 * an element says; then that element is what is meant.
 */
function phraseBetween(left: string, values: readonly string[], right: string): string | null {
  if (right === "" || left === "" || values.some((value) => /[<>\n]/.test(value))) return null;
  if (Math.max(lettersIn(textOf(left)), lettersIn(textOf(right))) < contextMin) return null;
  const quote = [left.at(-1), right.at(0)].find((character) => character === '"' || character === "'") ?? "";
  return `[^<>\\n${quote}]{0,${phraseMaxChars}}?`;
}

/** What a reader sees of a piece of a page; of one inside a tag or a script all of it. */
function textOf(context: string): string {
  return context.replaceAll(/<[^<>]*>/g, "").replaceAll(/^[^<>]*>(?=.*<)|<[^<>]*$/g, "");
}

/** What of a context says where it is: names of tags and attributes are those of many elements. */
const telling = (context: string): string =>
  context.replaceAll(/<\/?[a-zA-Z][\w-]*/g, "").replaceAll(/[\w:-]+=(?=["'])/g, "");

const lettersIn = (text: string): number => text.replaceAll(/[\s\d]/g, "").length;

/** @returns null for words */
function classOf(values: readonly string[], mayBeWords: boolean): string | null {
  if (values.includes("") || values.some((value) => /[<>\n]/.test(value))) return null;
  const shapes = new Set(values.map(shapeOf));
  const [shape] = shapes;
  if (shapes.size === 1 && shape !== undefined && shape.includes("[0-9]+") && !shape.includes("[A-Za-z]+"))
    return shape;
  if (shapes.size === 1 && shape !== undefined && values.every((value) => moment.test(value))) return shape;
  if (values.every((value) => /^[0-9][0-9.,:' -]*$/.test(value))) return "[0-9][0-9.,:' -]*";
  if (values.every((value) => /^[+-]?[0-9][0-9.,:' -]*(?:[eE][+-]?[0-9]+)?$/.test(value)))
    return "[+-]?[0-9][0-9.,:' -]*(?:[eE][+-]?[0-9]+)?";
  // ids and tokens: one word with both letters and digits, in each of the values
  if (
    values.every((value) => /^[A-Za-z0-9+/=_.~:-]{4,}$/.test(value)) &&
    values.filter(isMadeUp).length >= values.length * 0.9
  )
    return "[A-Za-z0-9+/=_.~:-]+";
  const variants = [...new Set(values)];
  if (mayBeWords && variants.length <= variantsMax && values.length >= variants.length * seenEach)
    return variants.map((variant) => RE2JS.quote(variant)).join("|");
  return null;
}

/** A day with a time, with the month in letters or not. */
const moment = /\d{2,4}\D{1,5}\d{1,2}:\d{2}/;

/** Whether a word is no word of a language: letters and digits mixed, or long with capitals inside. */
export function isMadeUp(value: string): boolean {
  return (
    (/\d/.test(value) && /[A-Za-z]/.test(value)) ||
    /^\d+$/.test(value) ||
    (value.length >= 12 && /[a-z][A-Z]|[+/=_]/.test(value))
  );
}

function shapeOf(value: string): string {
  return [...value.matchAll(/\d+|[A-Za-z]+|[^\dA-Za-z]/g)]
    .map(([part]) => (/^\d/.test(part) ? "[0-9]+" : /^[A-Za-z]/.test(part) ? "[A-Za-z]+" : RE2JS.quote(part)))
    .join("");
}

function commonEnd(texts: readonly string[]): string {
  return texts.reduce((one, other) => {
    let length = 0;
    while (length < Math.min(one.length, other.length) && one.at(-1 - length) === other.at(-1 - length)) length += 1;
    return one.slice(one.length - length);
  });
}

function commonBeginning(texts: readonly string[]): string {
  return texts.reduce((one, other) => {
    let length = 0;
    while (length < Math.min(one.length, other.length) && one[length] === other[length]) length += 1;
    return one.slice(0, length);
  });
}

/** From a word's or a tag's beginning on. */
function leftContext(before: string): string {
  const text = before.slice(-contextChars);
  const line = text.slice(Math.max(text.lastIndexOf("\n"), text.lastIndexOf(";"), text.lastIndexOf("{")) + 1);
  let tag = line.lastIndexOf("<");
  // a tag alone says little: the text before it belongs to it
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

/** Text as an expression; its numbers may be others on other pages. */
function anyNumbers(text: string): string {
  return text
    .split(/(\d+)/)
    .map((part, index) => (index % 2 === 1 ? "[0-9]+" : RE2JS.quote(part)))
    .join("");
}
