import type { RuleSpec } from "@web-tester/contracts/entities/rule";
import { limits } from "@web-tester/contracts/limits";
import { noFields } from "../suggest/describe-spot.js";
import type { PagePair } from "../suggest/suggest.js";
import { valuePattern } from "../values/value-pattern.js";
import { hidesWhatStays, isHeld } from "./bound-rules.js";
import type { Learned } from "./learned.js";

/** How often a value must stand in a page: fewer places are told apart. */
const timesMin = 4;
const valuesKept = 5;
const contextChars = 100;
/** The most values of a page that are looked at, those that stand there most often first. */
const tokensMax = 20;

/** A word with a digit in it. */
const token = /(?<![\p{L}\p{N}])(?=\p{L}*\p{N})[\p{L}\p{N}]{4,40}(?![\p{L}\p{N}])/gu;

/**
 * Returns rules for values that stand in many places of a page, in tags and outside of them, such as the id of a drawing, which its style sheet,
 * its parts and all that refers to these have: one rule for what would be one for each place. What they have before or after them everywhere
 * identifies them.
 */
export function learnRepeated(pairs: readonly PagePair[]): Learned[] {
  const found = new Map<string, { pages: Set<string>; values: Set<string>; times: number }>();
  for (const pair of pairs) {
    const [older, newer] = [placesOf(pair.before), placesOf(pair.after)];
    const formerOnes = often(older, newer);
    for (const [value, places] of often(newer, older)) {
      const former = formerOnes.find(
        ([other, at]) => at.length === places.length && standsAlike(pair, [at, other], [places, value]),
      );
      if (former === undefined) continue;
      const inTags = places.filter((at) => isInTag(pair.after, at)).length;
      const pattern = patternOf(pair.after, places, [former[0], value]);
      // values of attributes alone are told apart by these
      if (pattern === null || inTags === 0 || inTags === places.length) continue;
      const known = found.get(pattern) ?? { pages: new Set(), values: new Set(), times: 0 };
      known.pages.add(pair.path);
      for (const each of [former[0], value]) known.values.add(each);
      known.times += places.length;
      found.set(pattern, known);
    }
  }
  const looked = new Set(pairs.map(({ path }) => path)).size;
  return [...found].flatMap(([pattern, { pages, values, times }]) => {
    const spec: RuleSpec = { ...noFields, kind: "text", syntax: "re2", pattern };
    if (!isHeld(spec) || hidesWhatStays(spec, pairs)) return [];
    const share = Math.max(...pairs.map((pair) => pair.shareOf(spec)));
    return [{ spec, evidence: { pages: pages.size, looked, times, values: [...values].slice(0, valuesKept), share } }];
  });
}

type Places = ReadonlyMap<string, readonly number[]>;

function placesOf(html: string): Places {
  const places = new Map<string, number[]>();
  for (const { 0: word, index } of html.matchAll(token)) {
    const known = places.get(word);
    if (known === undefined) places.set(word, [index]);
    else known.push(index);
  }
  return places;
}

/** The words that stand in a page often, and not in its other version. */
function often(places: Places, others: Places): [word: string, places: readonly number[]][] {
  const own = [...places].filter(([word, at]) => at.length >= timesMin && !others.has(word));
  return own.toSorted(([, one], [, other]) => other.length - one.length).slice(0, tokensMax);
}

/** Whether the first places of two words have the same text before and after them. */
function standsAlike(
  { before, after }: PagePair,
  [[a = 0], older]: [readonly number[], string],
  [[b = 0], newer]: [readonly number[], string],
): boolean {
  const near = 12;
  return (
    before.slice(Math.max(0, a - near), a) === after.slice(Math.max(0, b - near), b) &&
    before.slice(a + older.length, a + older.length + near) === after.slice(b + newer.length, b + newer.length + near)
  );
}

const isInTag = (html: string, at: number): boolean => html.lastIndexOf("<", at) > html.lastIndexOf(">", at);

function patternOf(html: string, places: readonly number[], values: readonly [string, string]): string | null {
  const { length } = values[1];
  const pattern = valuePattern(
    {
      befores: places.map((at) => html.slice(Math.max(0, at - contextChars), at)),
      values,
      afters: places.map((at) => html.slice(at + length, at + length + contextChars)),
    },
    false,
  );
  return pattern === null || pattern.length > limits.rulePatternMaxChars ? null : pattern;
}
