import type { RuleSpec } from "@web-tester/contracts/entities/rule";
import { limits } from "@web-tester/contracts/limits";
import { hidesAnyWords } from "@web-tester/contracts/rule-width";
import { noFields } from "../suggest/describe-spot.js";
import type { PagePair } from "../suggest/suggest.js";
import { classOf } from "../values/value-class.js";
import { isMoment } from "../values/moments.js";
import { relativeTimes } from "../values/relative-time.js";
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

/** What was seen of a place, or of a number in it, on several pages. */
interface Sightings {
  seen: number;
  differed: boolean;
}
const stays = ({ seen, differed }: Sightings): boolean => seen >= staysMin && !differed;

/**
 * Whether a rule hides places that were never seen to differ besides those that were, or such numbers within them: another
 * number in the same words is not meant. Places are told apart by their order in the page.
 */
export function hidesWhatStays(spec: RuleSpec, pairs: readonly PagePair[]): boolean {
  const places: (Sightings & { numbers: Sightings[]; last: [PagePair, string] })[] = [];
  for (const pair of pairs) {
    const [before, after] = pair.hiddenBy(spec);
    if (before.length !== after.length) continue;
    for (const [index, value] of before.entries()) {
      const place = (places[index] ??= { seen: 0, differed: false, numbers: [], last: [pair, value] });
      const other = after[index] ?? "";
      place.last = [pair, value];
      note(place, value, other);
      const [numbers, others] = [numbersIn(value), numbersIn(other)];
      if (numbers.length === others.length)
        for (const [at, { text }] of numbers.entries())
          note((place.numbers[at] ??= { seen: 0, differed: false }), text, others[at]?.text);
    }
  }
  if (!places.some(({ differed }) => differed)) return false;
  return places.some(
    (place) => stays(place) || place.numbers.some((number, at) => stays(number) && isLeftOpen(spec, at, place.last)),
  );
}

function note(place: Sightings, value: string, other: string | undefined): void {
  place.seen += 1;
  place.differed ||= value !== other;
}

/**
 * Matches tags, and numbers in words: `1,234.50` is one, and digits of a token or a name are none.
 */
const tagOrNumber = /<[^>]*>|(?<![\w\p{Nd}])\p{Nd}+(?:(?:[.,:'’/-]|\s(?=\p{Nd}{3}(?!\p{Nd})))\p{Nd}+)*(?![\w\p{Nd}])/gu;

/** Returns the numbers in the words of a value; none where it is a date, a time or a number, all of whose parts belong together. */
function numbersIn(value: string): { index: number; text: string }[] {
  const words = value.replaceAll(/<[^>]*>/g, "").trim();
  if (!/\p{L}/u.test(words) || isMoment(words) || relativeTimes([words]) !== null) return [];
  return [...value.matchAll(tagOrNumber)]
    .filter(([text]) => !text.startsWith("<"))
    .map(({ 0: text, index }) => ({ index, text }));
}

/** Whether a rule hides a value with another number in one place, too. */
function isLeftOpen(spec: RuleSpec, at: number, [pair, value]: [PagePair, string]): boolean {
  const number = numbersIn(value)[at];
  if (number === undefined) return false;
  const other = number.text.replaceAll(/\p{Nd}/gu, (digit) => (digit === "7" ? "8" : "7"));
  return pair.wouldHide(
    spec,
    value,
    value.slice(0, number.index) + other + value.slice(number.index + number.text.length),
  );
}
