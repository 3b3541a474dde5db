import { RE2JS } from "re2js";
import { relativeTimes } from "./relative-time.js";

/**
 * The most different texts of a list; each must have been seen `seenEach` times on average, so that the list is likely to
 * be complete.
 */
const variantsMax = 24;
const seenEach = 3;
/** The longest list: a rule's expression has at most 4,000 characters, including the text around the list. */
export const listMaxChars = 3_400;

/**
 * Returns an expression for a few texts, numbers and ids in them aside: any other text does not match. Null where further
 * ones are likely to come: by Good and Turing, that probability is the share of texts that were seen once.
 */
export function listOf(values: readonly string[]): string | null {
  const seen = new Map<string, number>();
  for (const value of values) {
    const variant = expressionOf(value);
    seen.set(variant, (seen.get(variant) ?? 0) + 1);
    if (seen.size > variantsMax) return null;
  }
  const once = [...seen.values()].filter((times) => times === 1).length;
  if (seen.size < 1 || values.length < seen.size * seenEach || once > 0) return null;
  // longer ones first: of alternatives with the same beginning, the first match wins
  const list = [...seen.keys()].toSorted((one, other) => other.length - one.length).join("|");
  return list.length > listMaxChars ? null : list;
}

/** Returns a text as an expression in which numbers and generated words may vary within their kind. */
export function expressionOf(text: string): string {
  const time = relativeTimes([text]);
  if (time !== null) return time;
  return text
    .split(/((?<![\w-])(?=[a-f]*\d)[0-9a-f]{8,}(?![\w-])|(?<![\w-])(?=[A-Za-z]*\d)[A-Za-z0-9]{16,}(?![\w-])|\d+|\s+)/)
    .map((part, index) => {
      if (index % 2 === 0) return RE2JS.quote(part);
      if (/^\s/.test(part)) return "\\s+";
      if (/^\d+$/.test(part)) return `[0-9]{1,${Math.max(4, part.length + 2)}}`;
      return /^[0-9a-f]+$/.test(part) ? `[0-9a-f]{${part.length}}` : `[A-Za-z0-9]{${part.length}}`;
    })
    .join("");
}
