import type { RuleSpec } from "@web-tester/contracts/entities/rule";
import { limits } from "@web-tester/contracts/limits";
import { hidesAnyWords } from "@web-tester/contracts/rule-width";
import { noFields } from "../suggest/describe-spot.js";
import type { PagePair } from "../suggest/suggest.js";
import { classOf } from "../values/value-class.js";
import { listOf } from "../values/value-list.js";

/** Whether a rule restricts the value that it hides, so that it may be put in force without a person. */
export const isHeld = (spec: RuleSpec): boolean => !hidesAnyWords(spec);

/**
 * Restricts a rule about an element to values of the kind that was seen, or to a few texts; null where the values are of no kind.
 */
export function boundElement(pairs: readonly PagePair[], spec: RuleSpec): RuleSpec | null {
  const contents = contentsOf(pairs, spec.selector ?? "");
  const pattern = classOf(contents, true) ?? listOf(contents);
  return pattern === null || pattern.length > limits.rulePatternMaxChars ? null : { ...spec, pattern, syntax: "re2" };
}

const contentsOf = (pairs: readonly PagePair[], selector: string): string[] =>
  pairs.flatMap((pair) => pair.textsOf(selector).content).map((content) => content.trim());

/**
 * Returns a rule that hides some elements only in the few forms that were seen; null where there are too many forms.
 * @param isAlways whether one of them is always there: then their absence would be an edit
 */
export function listedElements(pairs: readonly PagePair[], selector: string, isAlways: boolean): RuleSpec | null {
  const list = listOf(pairs.flatMap((pair) => pair.textsOf(selector).whole));
  if (list === null || list.length > limits.rulePatternMaxChars - 10) return null;
  return { ...noFields, kind: "text", syntax: "re2", pattern: isAlways ? `(${list})` : list };
}

/** Pages on which a place must have stayed the same to count as unchanging. */
const staysMin = 3;

/**
 * Whether a rule hides places that were never seen to differ besides those that were: another number in the same words is
 * not meant. Places are told apart by their order in the page.
 */
export function hidesWhatStays(spec: RuleSpec, pairs: readonly PagePair[]): boolean {
  const places: { seen: number; differed: boolean }[] = [];
  for (const pair of pairs) {
    const [before, after] = pair.hiddenBy(spec);
    if (before.length !== after.length) continue;
    for (const [index, value] of before.entries()) {
      const place = (places[index] ??= { seen: 0, differed: false });
      place.seen += 1;
      place.differed ||= value !== after[index];
    }
  }
  return places.some(({ differed }) => differed) && places.some(({ seen, differed }) => seen >= staysMin && !differed);
}
