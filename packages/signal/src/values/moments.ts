/** Languages whose names of months and days are known in dates and times, as servers print them. */

const locales = "en de fr es it nl pt sv da nb fi pl cs ru uk tr hu ro el ar fa".split(" ");

function names(field: "month" | "weekday"): string {
  const found = new Set<string>();
  for (const locale of locales) {
    for (const style of ["long", "short"] as const) {
      // with a day beside it, a month has the form that it has in a date
      for (const options of [{ [field]: style }, { [field]: style, day: "numeric" }] as const) {
        const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
        for (let index = 0; index < 12; index += 1) {
          const at = field === "month" ? Date.UTC(2026, index, 1) : Date.UTC(2026, 0, 1 + (index % 7));
          const part = format.formatToParts(at).find(({ type }) => type === field);
          if (part !== undefined) found.add(part.value.replace(/\.$/, ""));
        }
      }
    }
  }
  const letters = [...found].filter((name) => /^\p{L}{2,}$/u.test(name));
  return letters.toSorted((one, other) => other.length - one.length).join("|");
}

interface Expressions {
  readonly anywhere: RegExp;
  readonly whole: RegExp;
}

let known: Expressions | null = null;

function expressions(): Expressions {
  if (known !== null) return known;
  const month = `(?:${names("month")})\\.?`;
  const weekday = `(?:(?:${names("weekday")})\\.?,? )?`;
  const day = `(?:\\p{Nd}{4}[-/.]\\p{Nd}{1,2}[-/.]\\p{Nd}{1,2}|\\p{Nd}{1,2}[-/.]\\p{Nd}{1,2}[-/.]\\p{Nd}{2,4}|\\p{Nd}{1,2}(?:\\.|st|nd|rd|th)?[- ](?:de )?${month}(?:,? (?:de )?|[- ])\\p{Nd}{2,4}|${month} \\p{Nd}{1,2},? \\p{Nd}{4})`;
  const time =
    "\\p{Nd}{1,2}:\\p{Nd}{2}(?::\\p{Nd}{2}(?:[.,]\\p{Nd}{1,9})?)?(?:[ \u00A0\u202F]?(?:[ap]\\.?m\\.?|[\u0635\u0645]))?(?: ?(?:Z|UTC|GMT|CES?T|[A-Z]{1,2}[SD]T|[+-]\\p{Nd}{2}:?\\p{Nd}{2}))?";
  const pattern = `${weekday}${day}(?:(?:T|,? (?:at |um )?)${time})?|${time}(?:,? (?:on )?${weekday}${day})?`;
  known = {
    anywhere: new RegExp(`(?<![\\p{L}\\p{N}:.-])(?:${pattern})(?![\\p{L}\\p{N}])`, "giu"),
    whole: new RegExp(`^(?:${pattern})$`, "iu"),
  };
  return known;
}

/** Whether a text is a date, a time or both, and nothing else. */
export const isMoment = (text: string): boolean => expressions().whole.test(text);

/**
 * Returns the range of the date and time that a place in a text is part of; null where there is none. @param from, to the
 * range of the place
 */
export function momentAround(text: string, from: number, to: number): readonly [number, number] | null {
  for (const match of text.matchAll(expressions().anywhere)) {
    const [start, end] = [match.index, match.index + match[0].length];
    if (start <= from && to <= end) return [start, end];
  }
  return null;
}

/** Returns the text after the last date or time in it; all of it where there is none. */
export function behindMoment(text: string): string {
  const last = [...text.matchAll(expressions().anywhere)].at(-1);
  return last === undefined ? text : text.slice(last.index + last[0].length);
}

/** Returns the text before the first date or time in it. */
export function beforeMoment(text: string): string {
  const [first] = text.matchAll(expressions().anywhere);
  return first === undefined ? text : text.slice(0, first.index);
}
