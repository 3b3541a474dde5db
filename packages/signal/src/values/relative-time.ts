import { RE2JS } from "re2js";

/** Relative times ("3 minutes ago"): they differ with every fetch, whatever the page says. */

/** Languages whose words are known, besides English. */
const locales = "de fr es it nl pt sv da nb fi pl cs ru uk tr hu ro el ja zh ko ar fa he hi".split(" ");
const units = ["second", "minute", "hour", "day", "week", "month", "quarter", "year"] as const;
/** Numbers that cover every plural form of these languages. */
const plurals = [1, 2, 3, 5, 11, 21, 100];

/** English is written in more ways than the browser's own: "about 2 hrs ago", "a few seconds ago", "1 year, 2 months ago". */
const unit =
  "(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?|mos?|mths?|months?|y|yrs?|years?)\\.?";
const amount = "(?:[0-9]{1,3}(?:\\.[0-9])?|an?|one|a few|few|several)";
const about = "(?:(?:about|almost|nearly|over|around|less than|more than|~) ?)?";
const english = `(?:just|right) now|moments ago|yesterday|${about}${amount} ?${unit}(?:(?:,| and|, and)? ${amount} ?${unit}){0,2} ago`;

/** Matches a duration or a relative time; only the text around it says which. */
export const durations = `(?i:[0-9]{1,3}(?:\\.[0-9])?[ \u00A0]?${unit})`;
const wholeDuration = new RegExp(`^[0-9]{1,3}(?:\\.[0-9])?[ \u00A0]?${unit}$`, "i");
export const isDuration = (text: string): boolean => wholeDuration.test(text);

function wordsOf(locale: string): string {
  const found = new Set<string>();
  const add = (text: string) => found.add(text.replaceAll(/\p{Nd}+/gu, "0").replaceAll("\u00A0", " "));
  for (const style of ["long", "short", "narrow"] as const) {
    const always = new Intl.RelativeTimeFormat(locale, { style, numeric: "always" });
    for (const each of units) for (const number of plurals) add(always.format(-number, each));
  }
  add(new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(0, "second"));
  // where others than 0 to 9 are in use, both are
  const digits = ["ar", "fa", "hi"].includes(locale) ? "\\p{Nd}{1,3}" : "[0-9]{1,3}";
  return [...found]
    .toSorted((one, other) => other.length - one.length)
    .map((text) => RE2JS.quote(text).replaceAll("0", digits))
    .join("|");
}

interface Language {
  /** An expression valid in RE2 and JavaScript, without a group. */
  readonly pattern: string;
  readonly whole: RegExp;
}

let known: readonly Language[] | null = null;

function languages(): readonly Language[] {
  known ??= [english, ...locales.map(wordsOf)].map((pattern) => ({
    pattern,
    whole: new RegExp(`^(?:${forScript(pattern)})$`, "iu"),
  }));
  return known;
}

/** Removes escapes that `RE2JS.quote` adds but an expression with the flag `u` does not allow. */
const forScript = (pattern: string): string => pattern.replaceAll(/\\([^\w\s.*+?^${}()|[\]\\/-])/g, "$1");

/** Returns an expression for relative times in the language of all these values; null where they are none. */
export function relativeTimes(values: readonly string[]): string | null {
  if (values.length === 0) return null;
  const plain = values.map((value) => value.replaceAll("\u00A0", " "));
  const language = languages().find(({ whole }) => plain.every((value) => whole.test(value)));
  return language === undefined ? null : `(?i:${language.pattern.replaceAll(" ", "[ \u00A0]")})`;
}

let anywhere: RegExp | null = null;

/**
 * Returns the range of the relative time that a place in a text is part of; null where there is none. @param from, to the
 * range of the place
 */
export function relativeTimeAround(text: string, from: number, to: number): readonly [number, number] | null {
  anywhere ??= new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${languages()
      .map(({ pattern }) => forScript(pattern))
      .join("|")})(?![\\p{L}\\p{N}])`,
    "giu",
  );
  for (const match of text.replaceAll("\u00A0", " ").matchAll(anywhere)) {
    const [start, end] = [match.index, match.index + match[0].length];
    if (start <= from && to <= end) return [start, end];
  }
  return null;
}
