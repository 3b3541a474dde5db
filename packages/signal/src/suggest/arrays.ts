import type { RuleSpec } from "@web-tester/contracts/entities/rule";
import { limits } from "@web-tester/contracts/limits";
import type { Range } from "../mask/page.js";
import { listOf } from "../values/value-list.js";
import { listPattern, type SeenValues } from "../values/value-pattern.js";
import { type DescribedSpot, noFields } from "./describe-spot.js";

/** Strings, numbers and words in an array literal of a script or of JSON. */
const item = `(?:"[^"\\\\<>\\n]*"|-?[0-9]+(?:\\.[0-9]+)?|true|false|null)`;
const before = new RegExp(`\\[\\s*(?:${item}\\s*,\\s*)*(?:"[^"\\\\<>\\n]*|[\\w.-]*)$`);
const after = new RegExp(`^(?:[^"\\\\<>\\n]*"|[\\w.-]*)(?:\\s*,\\s*${item})*\\s*\\]`);
const items = new RegExp(item, "g");
const whole = new RegExp(`^\\s*${item}(?:\\s*,\\s*${item})*\\s*$`);
/** The most characters of an array; longer ones are ignored. */
const arrayMaxChars = 2_000;
/** The most characters of context that identify an array. */
const contextChars = 200;

/** Returns the array around a differing place of a script, in both versions; null if the place is in no array. */
export function arrayOf(spot: DescribedSpot, older: string, newer: string): DescribedSpot | null {
  if (spot.attribute !== null) return null;
  const [a, b] = [arrayAround(older, spot.spot.a), arrayAround(newer, spot.spot.b)];
  if (a === null || b === null) return null;
  return {
    ...spot,
    spot: { ...spot.spot, a, b },
    values: [older.slice(...a), newer.slice(...b)],
    before: newer.slice(Math.max(0, b[0] - contextChars), b[0]),
    after: newer.slice(b[1], b[1] + contextChars),
  };
}

/** Returns the text between the brackets around a place. */
function arrayAround(text: string, [from, to]: Range): Range | null {
  const head = before.exec(text.slice(Math.max(0, from - arrayMaxChars), from))?.[0];
  const tail = after.exec(text.slice(to, to + arrayMaxChars))?.[0];
  if (head === undefined || tail === undefined) return null;
  const range: Range = [from - head.length + 1, to + tail.length - 1];
  return whole.test(text.slice(...range)) ? range : null;
}

/** Returns a rule for an array that holds some of the items seen, in any order; null if further items are likely. */
export function listedItems(spots: readonly DescribedSpot[]): RuleSpec | null {
  const list = listOf(spots.flatMap(({ values }) => values).flatMap((value) => value.match(items) ?? []));
  return list === null ? null : arrayRule(spots, list);
}

/** Returns a rule for an array with any content, which is only proposed to a person. */
export const anyItems = (spots: readonly DescribedSpot[]): RuleSpec | null =>
  arrayRule(spots, `"[^"<>\\n]{0,300}"|[\\w.-]+`);

function arrayRule(spots: readonly DescribedSpot[], oneItem: string): RuleSpec | null {
  const seen: SeenValues = {
    befores: spots.map(({ before: text }) => text),
    values: [],
    afters: spots.map(({ after: text }) => text),
  };
  const pattern = listPattern(seen, oneItem);
  if (pattern === null || pattern.length > limits.rulePatternMaxChars) return null;
  return { ...noFields, kind: "text", syntax: "re2", pattern };
}
