import { RE2JS } from "re2js";
import { commonBeginning, commonEnd } from "./common-text.js";
import { isMoment } from "./moments.js";
import { listOf } from "./value-list.js";
import { relativeTimes } from "./relative-time.js";

/** Kinds of punctuation that the values of one place are seen with. */
const shapesMax = 4;
/** Lengths grow and shrink by as much beyond what was seen. */
const slack = 2;
/** So many digits are a time with a part of a random number behind it, or that part: its zeros at the end are left out, one in ten times, and then more. */
const fractionMin = 16;
const fractionSlack = 3;
/** So many values of one length have it for certain. */
const sureOfLength = 4;

/**
 * An expression for values as they were seen, with their kinds of characters and lengths: what is no such value, as a word or a sentence in
 * its place, does not match. Null where nothing narrow can be said, as of any words.
 * @param mayBeWords whether a few words that come again and again are all that there are; otherwise they may be parts of longer ones
 */
export function classOf(values: readonly string[], mayBeWords: boolean): string | null {
  if (values.length === 0 || values.includes("") || values.some((value) => /[<>\n]/.test(value))) return null;
  return (
    relativeTimes(values) ??
    (values.every((value) => /^[^\p{L}]*\p{Nd}[^\p{L}]*$/u.test(value)) ? numbers(values) : null) ??
    (values.every(isMoment) ? shapes(values, "any letters") : null) ??
    (values.every((value) => /\p{Nd}/u.test(value)) && !areTokensApart(values)
      ? shapes(values, "same letters")
      : null) ??
    tokens(values) ??
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

/** Nobody writes words that are as long and of digits and letters. */
const longTokenMin = 16;

/** Whether these are long tokens, hardly two of which have their letters at the same places: then those say nothing of the next one. */
function areTokensApart(values: readonly string[]): boolean {
  const forms = new Set(values.map((value) => value.replaceAll(/\d+/g, "0")));
  return values.length > 1 && forms.size > values.length / 2 && values.every((value) => value.length >= longTokenMin);
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

/** Ids and tokens: one word that nobody would write, in nearly each of the values. */
function tokens(values: readonly string[]): string | null {
  if (!values.every((value) => /^[A-Za-z0-9+/=_.~:-]{4,}$/.test(value))) return null;
  if (values.filter(isMadeUp).length < values.length * 0.9) return null;
  const [head, tail] = namesAround(values);
  const own = values.map((value) => value.slice(head.length, value.length - tail.length));
  return RE2JS.quote(head) + tokensOf(own) + RE2JS.quote(tail);
}

/** Characters of a name that values end with; each place of a longer one would be tried. */
const tailMax = 500;

/** Names that all values begin and end with, as the folder and the name of a file whose version differs: another file there is no such value. */
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
  // of a long one with letters of both cases, few show all characters of its alphabet
  const isLong = values.every((value) => value.length >= 16) && /[a-z]/.test(text) && /[A-Z]/.test(text);
  const isWide = isLong || /[_-]/.test(text);
  const alphabet = [
    ...sets,
    (isLong || /[+/=]/.test(text)) && "+/=",
    ...[".", "~", ":"].map((each) => text.includes(each) && each),
  ];
  // a hyphen stands last, where it is no range
  return shaped(values, `[${alphabet.filter((each) => each !== false).join("")}${isWide ? "_-" : ""}]`);
}

/** Words of an alphabet, of one form where hyphens stand in all of them at the same places as in a UUID. */
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
  const each =
    lengths.size === 1 && values.length >= sureOfLength ? `{${String([...lengths][0])}}` : bounds(values, slack);
  // a word without a digit may be one of a language, where all that were seen have one and are short enough for that
  const isDigitNeeded =
    values.every((value) => /\d/.test(value)) && values.some(({ length }) => length <= 12) && !/^\{\d+\}$/.test(each);
  const most = longestOf(values) + slack;
  return isDigitNeeded ? `${alphabet}{0,${most}}[0-9]${alphabet}{0,${most}}` : alphabet + each;
}

function digitBounds(runs: readonly string[], more: number): string {
  const lengths = runs.map(({ length }) => length);
  if (Math.min(...lengths) < fractionMin) return bounds(runs, more);
  return `{${Math.min(...lengths) - fractionSlack},${longestOf(runs) + fractionSlack}}`;
}

/** Of values of one length this, of others what was seen and a little more. */
function bounds(values: readonly string[], more: number): string {
  const lengths = values.map(({ length }) => length);
  const [least, most] = [Math.min(...lengths), longestOf(values)];
  // numbers of one length may be counters about to grow; longer ones are ids and times
  if (least === most && least > 8) return `{${least}}`;
  return `{${Math.max(1, least - more)},${most + more}}`;
}

const longestOf = (values: readonly string[]): number => Math.max(...values.map(({ length }) => length));

/** Whether a word is no word of a language: letters and digits mixed, or long with capitals inside. */
export function isMadeUp(value: string): boolean {
  return (
    (/\d/.test(value) && /[A-Za-z]/.test(value)) ||
    /^\d+$/.test(value) ||
    (value.length >= 12 && /[a-z][A-Z]|[+/=_]/.test(value))
  );
}
