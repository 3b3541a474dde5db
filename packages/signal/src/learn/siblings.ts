import type { RuleSpec } from "@web-tester/contracts/entities/rule";
import { limits } from "@web-tester/contracts/limits";
import type { DescribedSpot } from "../suggest/describe-spot.js";
import type { PagePair } from "../suggest/suggest.js";
import { hidesWhatStays } from "./bound-rules.js";
import type { Learned } from "./learned.js";

/** A sighting of a place that differs. */
export interface SeenSpot {
  readonly pair: PagePair;
  readonly spot: DescribedSpot;
}

/** A rule for one place, and its sightings. */
export interface LearnedPlace {
  readonly learned: Learned;
  readonly seen: readonly SeenSpot[];
  readonly pages: ReadonlySet<string>;
}

const nth = /:nth-of-type\(\d+\)/g;
/** Matches `{2}` and `{2,5}` in an expression, but not an escaped brace. */
const quantifier = /(?<!\\)\{(\d+)(?:,(\d+))?\}/g;
const valuesKept = 5;

/**
 * Joins the rules for places that differ only in their position among siblings, such as menu entries or recommendations,
 * into one, where that covers all of them and hides nothing else: otherwise a person would have to accept each one.
 * @param shareOf returns the share of text that a rule covers; null where it does not cover all sightings
 */
export function joinSiblings(
  places: readonly LearnedPlace[],
  pairs: readonly PagePair[],
  shareOf: (spec: RuleSpec, seen: readonly SeenSpot[]) => number | null,
): Learned[] {
  return [...Map.groupBy(places, ({ learned }) => kindOf(learned.spec)).values()].flatMap((alike) => {
    const each = alike.map(({ learned }) => learned);
    const spec = joined(each.map((one) => one.spec));
    if (spec === null) return each;
    const seen = alike.flatMap((place) => place.seen);
    const share = shareOf(spec, seen);
    if (share === null || hidesWhatStays(spec, pairs)) return each;
    return [{ spec, ...togetherOf(alike, share) }];
  });
}

/** Returns what the rules of siblings have in common: all but positions and lengths. */
function kindOf(spec: RuleSpec): string {
  const selector = spec.selector?.replaceAll(nth, "");
  return JSON.stringify({ ...spec, selector, pattern: spec.pattern?.replaceAll(quantifier, "{}") });
}

/** Returns the joined rule; null where there is nothing to join: one place, or rules that name no element. */
function joined(specs: readonly RuleSpec[]): RuleSpec | null {
  const [first] = specs;
  if (first === undefined || first.selector === null || specs.length < 2) return null;
  const pattern = first.pattern === null ? null : widest(specs.map((spec) => spec.pattern ?? ""));
  if ((pattern?.length ?? 0) > limits.rulePatternMaxChars) return null;
  return { ...first, selector: first.selector.replaceAll(nth, ""), pattern };
}

/** Returns an expression whose bounds include those of all patterns, which differ in nothing else. */
function widest(patterns: readonly string[]): string {
  const bounds = patterns.map((pattern) =>
    [...pattern.matchAll(quantifier)].map(([, least = "", most = least]) => [Number(least), Number(most)] as const),
  );
  let at = -1;
  return (patterns[0] ?? "").replaceAll(quantifier, () => {
    at += 1;
    const [leasts, mosts] = [0, 1].map((end) => bounds.flatMap((each) => each[at]?.[end] ?? []));
    const [least, most] = [Math.min(...(leasts ?? [])), Math.max(...(mosts ?? []))];
    return least === most ? `{${least}}` : `{${least},${most}}`;
  });
}

function togetherOf(alike: readonly LearnedPlace[], share: number): Omit<Learned, "spec"> {
  const evidences = alike.map(({ learned }) => learned.evidence);
  const mayBeList = alike.some(({ learned }) => learned.mayBeList === true);
  const [first] = evidences;
  return {
    evidence: {
      ...first,
      pages: new Set(alike.flatMap(({ pages }) => [...pages])).size,
      looked: Math.max(...evidences.map(({ looked }) => looked)),
      times: evidences.reduce((sum, { times }) => sum + (times ?? 0), 0),
      values: [...new Set(evidences.flatMap(({ values }) => values))].slice(0, valuesKept),
      share,
    },
    mayBeList,
    isPrice: alike.some(({ learned }) => learned.isPrice === true),
  };
}
