import { RE2JS } from "re2js";
import { commonBeginning, commonEnd } from "./common-text.js";
import { isMoment } from "./moments.js";
import { listOf } from "./value-list.js";
import { relativeTimes } from "./relative-time.js";

/** The most patterns of punctuation that the values of one place may have. */
const shapesMax = 4;
/** How far lengths may go beyond those that were seen. */
const slack = 2;
/**
 * From this many digits on, a number is a time with a random part, or that part itself: its trailing zeros are dropped,
 * one in ten times, sometimes several.
 */
const fractionMin = 16;
const fractionSlack = 3;
/** From this many values of one length on, the length is taken to be fixed. */
const sureOfLength = 4;
/** RE2 repeats nothing more often than this. */
const repeatMax = 1_000;
/**
 * From this length on, as the state of a form that ASP.NET sends along, the length of a token says nothing about the next one: any
 * that is at least half as long as this matches. Words between spaces, which people write, never are.
 */
const openMin = 200;

/**
 * Returns an expression for values like those seen, by their kinds of characters and lengths: anything else, such as a
 * word or a sentence in their place, does not match. Null where nothing narrow can be said, as for arbitrary words.
 * @param mayBeWords whether the values are complete, so that a few repeated words may be a list; otherwise they may be
 * parts of longer texts
 */
export function classOf(values: readonly string[], mayBeWords: boolean): string | null {
  if (values.length === 0 || values.includes("") || values.some((value) => /[<>\n]/.test(value))) return null;
  return (
    relativeTimes(values) ??
    (values.every((value) => /^[^\p{L}]*\p{Nd}[^\p{L}]*$/u.test(value)) ? numbers(values) : null) ??
    (values.every(isMoment) ? shapes(values, "any letters") : null) ??
    byBeginning(values, hexTokens) ??
    (values.every((value) => /\p{Nd}/u.test(value)) && !areTokensApart(values)
      ? shapes(values, "same letters")
      : null) ??
    tokens(values) ??
    escapedTokens(values) ??
    (mayBeWords ? listOf(values) : null)
  );
}

function numbers(values: readonly string[]): string | null {
  const exact = shapes(values, "same letters");
  if (exact !== null) return exact;
  if (!values.every((value) => /^[+-]?\d[\d.,:' -]*$/.test(value))) return null;
  const longest = Math.min(longestOf(values) + slack, 60);
  return `[+-]?[0-9](?:[0-9.,:' -]{0,${longest}}[0-9])?`;
}

/** Nobody writes words of digits and letters that are this long. */
const longTokenMin = 16;

/**
 * Whether these are long tokens hardly two of which have their letters at the same places: then the places say nothing
 * about the next one.
 */
function areTokensApart(values: readonly string[]): boolean {
  return areApart(values) && (values.every((value) => value.length >= longTokenMin) || areShortTokens(values));
}

const areApart = (values: readonly string[]): boolean =>
  values.length > 1 && new Set(values.map((value) => value.replaceAll(/\d+/g, "0"))).size > values.length / 2;

/** Shorter ones are numbers with a letter, as people write them. */
const shortTokenMin = 6;

/** Whether these differ in a word of one length and one case that mixes digits with letters, as `Math.random().toString(36)` makes them. */
function areShortTokens(values: readonly string[]): boolean {
  const [head, tail] = namesAround(values);
  const own = values.map((value) => value.slice(head.length, value.length - tail.length));
  const [first = ""] = own;
  const isToken = (word: string) =>
    /^(?:[0-9a-z]+|[0-9A-Z]+)$/.test(word) && (word.match(/\d+|[A-Za-z]+/g) ?? []).length > 2;
  return first.length >= shortTokenMin && own.every((word) => word.length === first.length && isToken(word));
}

/** The most names with which the values of one place may begin. */
const beginningsMax = 4;

/** Returns one expression for all values, or one for those that begin with the same name (`defs-04c1fe`, `topdefs-829082`); null where there is none for some. */
function byBeginning(
  values: readonly string[],
  expressionFor: (values: readonly string[]) => string | null,
): string | null {
  const whole = expressionFor(values);
  const groups = Map.groupBy(values, (value) => /^[A-Za-z][A-Za-z_.:-]*[_.:-]/.exec(value)?.[0] ?? "");
  if (whole !== null || groups.size > beginningsMax) return whole;
  const each = [...groups.values()].map(expressionFor);
  return each.includes(null) ? null : each.join("|");
}

/** The character at which a hexadecimal number may begin or end, so that what is common there may belong to it by chance. */
const hexAtEnd = /[0-9a-f]*$/;
const hexAtBeginning = /^[0-9a-f]*/;

/**
 * Returns an expression for hexadecimal numbers, of whatever digits, that stand alone or in a word without anything between (`legend04c1fe`, `clip829082xy`);
 * null where they have their letters at the same places, as then these are names.
 */
function hexTokens(values: readonly string[]): string | null {
  const head = commonBeginning(values).replace(hexAtEnd, "");
  const rest = values.map((value) => value.slice(head.length));
  const tail = commonEnd(rest).slice(-tailMax).replace(hexAtBeginning, "");
  const own = rest.map((value) => value.slice(0, value.length - tail.length));
  const lengths = own.map(({ length }) => length);
  const isOfOneLength = longestOf(own) - Math.min(...lengths) <= slack;
  const areHex = own.every((value) => value.length >= shortTokenMin && /^[0-9a-f]*\d[0-9a-f]*$/.test(value));
  if (!isOfOneLength || !areHex || !areApart(own) || !own.some((value) => /[a-f]/.test(value))) return null;
  return RE2JS.quote(head) + tokensOf(own) + RE2JS.quote(tail);
}

/** Runs of digits, of letters and other characters one by one. */
const runsOf = (value: string): string[] => value.match(/\p{Nd}+|\p{L}+|[^\p{Nd}\p{L}]/gu) ?? [];
const isDigits = (run: string): boolean => /^\p{Nd}/u.test(run);
/** Arabic, Persian, Indian and other digits, where such were seen. */
const digitsLike = (runs: readonly string[]): string =>
  runs.every((run) => /^[0-9]*$/.test(run)) ? "[0-9]" : "\\p{Nd}";
const isLetters = (run: string): boolean => /^\p{L}/u.test(run);

function shapes(values: readonly string[], letters: "any letters" | "same letters"): string | null {
  const found = new Map<string, string[][]>();
  for (const value of values) {
    const runs = runsOf(value);
    const key = runs
      .map((run) => (isDigits(run) ? "0" : isLetters(run) && letters === "any letters" ? "a" : run))
      .join("");
    found.set(key, [...(found.get(key) ?? []), runs]);
  }
  if (found.size > shapesMax) return null;
  return [...found.values()].map((alike) => shapeOf(alike, letters)).join("|");
}

function shapeOf(values: readonly string[][], letters: "any letters" | "same letters"): string {
  const [first = []] = values;
  return first
    .map((run, index) => {
      const runs = values.map((value) => value[index] ?? "");
      if (isDigits(run)) return `${digitsLike(runs)}${digitBounds(runs, first.length === 1 ? slack : 1)}`;
      // as the names of months, which are no longer than this
      return isLetters(run) && letters === "any letters" ? "\\p{L}{1,12}" : RE2JS.quote(run);
    })
    .join("");
}

/** Returns an expression for ids and tokens: single words that nobody would write, in nearly all of the values. */
function tokens(values: readonly string[]): string | null {
  if (!values.every((value) => /^[A-Za-z0-9+/=_.~:-]{4,}$/.test(value))) return null;
  if (values.filter(isMadeUp).length < values.length * 0.9) return null;
  const [head, tail] = namesAround(values);
  const own = values.map((value) => value.slice(head.length, value.length - tail.length));
  return RE2JS.quote(head) + tokensOf(own) + RE2JS.quote(tail);
}

/** Characters of base64 as addresses (`%2B`) and JSON of PHP (`\/`) escape them, and what they stand for. */
const escapes: ReadonlyMap<string, string> = new Map([
  ["%2B", "+"],
  ["%2F", "/"],
  ["%3D", "="],
  ["\\/", "/"],
]);
const anyEscape = /%2[BF]|%3D|\\\//gi;

/**
 * Returns an expression for long tokens of base64 some of whose characters are escaped, such as the state in the address of a login.
 * Escaped words are none: their spaces and letters are escaped in other ways.
 */
function escapedTokens(values: readonly string[]): string | null {
  const bare = values.map((value) => value.replaceAll(anyEscape, (escape) => escapes.get(escape.toUpperCase()) ?? ""));
  if (bare.every((value, index) => value === values[index]) || !bare.every(isLongBase64)) return null;
  return tokensOf(bare).replaceAll(/\[[^\]]*\]/g, (letter) => `(?:${letter}|%2[BbFf]|%3[Dd]|\\\\/)`);
}

const isLongBase64 = (value: string): boolean =>
  value.length >= longTokenMin &&
  /^[A-Za-z0-9+/]+={0,2}$/.test(value) &&
  [/[a-z]/, /[A-Z]/, /\d/].every((kind) => kind.test(value));

/** The most characters of a common end of values; each position of a longer one would be tried. */
const tailMax = 500;

/**
 * Returns the names that all values begin and end with, such as the folder and name of a file whose version differs:
 * another file there does not match.
 */
function namesAround(values: readonly string[]): [head: string, tail: string] {
  const [head = ""] = /^(?:[/._~:-]*[A-Za-z]+\d{0,2}[/._~:=-]+)+/.exec(commonBeginning(values)) ?? [];
  const [tail = ""] = /(?:[/._~:-]+[A-Za-z]+\d{0,2})+$/.exec(commonEnd(values).slice(-tailMax)) ?? [];
  return values.every(({ length }) => length > head.length + tail.length) ? [head, tail] : ["", ""];
}

function tokensOf(values: readonly string[]): string {
  const text = values.join("");
  if (/^[0-9a-f-]+$/.test(text)) return shaped(values, "[0-9a-f]");
  if (/^[0-9A-F-]+$/.test(text)) return shaped(values, "[0-9A-F]");
  const sets = [/[0-9]/.test(text) && "0-9", /[a-z]/.test(text) && "a-z", /[A-Z]/.test(text) && "A-Z"];
  // few values of a long token with both cases show all characters of its alphabet
  const isLong = values.every((value) => value.length >= 16) && /[a-z]/.test(text) && /[A-Z]/.test(text);
  const isWide = isLong || /[_-]/.test(text);
  const alphabet = [
    ...sets,
    (isLong || /[+/=]/.test(text)) && "+/=",
    ...[".", "~", ":"].map((each) => text.includes(each) && each),
  ];
  // a hyphen comes last, where it is not a range
  return shaped(values, `[${alphabet.filter((each) => each !== false).join("")}${isWide ? "_-" : ""}]`);
}

/** Returns an expression for words of an alphabet; of a fixed form where all have hyphens at the same places, as in a UUID. */
function shaped(values: readonly string[], letter: string): string {
  const forms = new Set(
    values.map((value) =>
      value
        .split("-")
        .map(({ length }) => length)
        .join("-"),
    ),
  );
  const [form] = forms;
  if (forms.size === 1 && form !== undefined && form.includes("-") && !letter.endsWith("-]"))
    return form
      .split("-")
      .map((length) => `${letter}{${length}}`)
      .join("-");
  const alphabet =
    values.some((value) => value.includes("-")) && !letter.endsWith("-]") ? `${letter.slice(0, -1)}-]` : letter;
  const lengths = new Set(values.map(({ length }) => length));
  const [own = 0] = lengths;
  const isFixed = lengths.size === 1 && values.length >= sureOfLength && own <= repeatMax;
  const each = isFixed ? `{${own}}` : bounds(values, slack);
  // a short word without a digit may be a real one, so a digit is required where all seen values have one
  const isDigitNeeded =
    values.every((value) => /\d/.test(value)) && values.some(({ length }) => length <= 12) && !/^\{\d+\}$/.test(each);
  const most = Math.min(longestOf(values) + slack, repeatMax);
  return isDigitNeeded ? `${alphabet}{0,${most}}[0-9]${alphabet}{0,${most}}` : alphabet + each;
}

function digitBounds(runs: readonly string[], more: number): string {
  const lengths = runs.map(({ length }) => length);
  if (Math.min(...lengths) < fractionMin) return bounds(runs, more);
  return `{${Math.min(...lengths) - fractionSlack},${longestOf(runs) + fractionSlack}}`;
}

/** Returns bounds for the length: exact where all values have one length beyond 8, open above for very long ones, else a little wider than seen. */
function bounds(values: readonly string[], more: number): string {
  const lengths = values.map(({ length }) => length);
  const [least, most] = [Math.min(...lengths), longestOf(values)];
  if (least >= openMin && (least !== most || most > repeatMax)) return `{${openMin / 2},}`;
  // numbers of one length may be counters about to grow; longer ones are ids and times
  if (least === most && least > 8) return `{${least}}`;
  if (most + more > repeatMax) return `{${Math.max(1, least - more)},}`;
  return `{${Math.max(1, least - more)},${most + more}}`;
}

const longestOf = (values: readonly string[]): number => Math.max(...values.map(({ length }) => length));

/** Whether a word is generated, not of a language: letters and digits mixed, digits alone, or long with capitals inside. */
export function isMadeUp(value: string): boolean {
  return (
    (/\d/.test(value) && /[A-Za-z]/.test(value)) ||
    /^\d+$/.test(value) ||
    (value.length >= 12 && /[a-z][A-Z]|[+/=_]/.test(value))
  );
}
