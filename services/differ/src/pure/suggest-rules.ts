import type { DrawnElement, RuleSpec, SuggestedRule } from "@web-tester/contracts/entities/rule";
import type { ContentForm } from "@web-tester/contracts/entities/vocabulary";
import { titleOf } from "@web-tester/contracts/rule-title";
import type { DiffHunk } from "@web-tester/diff/hunks/hunks";
import { sourceOf } from "@web-tester/signal/compare/assess";
import type { Range } from "@web-tester/signal/mask/page";
import { placesOf } from "@web-tester/signal/suggest/drawn-elements";
import { PagePair } from "@web-tester/signal/suggest/suggest";
import type { Asked } from "./pair-signal.js";
import { rulesFor } from "./pair-signal.js";
import { linesIn } from "./tell-ignored.js";

/** What a person wants ignored: a line of one side, or elements of the newer page that look different. */
export type IgnoredPlace = { as: ContentForm; side: "a" | "b"; line: number } | { elements: readonly DrawnElement[] };

const suggestedMax = 8;

/** Returns rules that silence the changed blocks at a place, the narrowest first; none where the place does not count already. */
export function suggestRules(a: string, b: string, at: IgnoredPlace, asked: Asked): SuggestedRule[] {
  const pair = new PagePair(a, b, rulesFor(asked));
  const side = "elements" in at ? "b" : at.side;
  const places = "elements" in at ? placesOf(b, at.elements) : [placeOf(side === "a" ? a : b, at)];
  const found: SuggestedRule[] = [];
  for (const hunk of pair.hunks) {
    if (!partsOf(pair, hunk, side).some((part) => places.some((place) => touches(part, place)))) continue;
    for (const { spec, share } of pair.suggest(hunk)) found.push({ ...spec, share, title: titleOf(spec) });
    if (found.length >= suggestedMax) break;
  }
  // where the source is the same, a picture differs because of the file that it shows
  if (found.length === 0 && "elements" in at) found.push(...filesOf(at.elements));
  const distinct = new Map(found.map((rule) => [JSON.stringify(specFields(rule)), rule]));
  return [...distinct.values()].slice(0, suggestedMax);
}

function placeOf(html: string, { as, line }: { as: ContentForm; line: number }): Range {
  return sourceOf(linesIn(html, as), line - 1, 1, html.length);
}

function partsOf(pair: PagePair, { aStart, aCount, bStart, bCount }: DiffHunk, side: "a" | "b"): Range[] {
  return side === "a"
    ? pair.a.partsOf(aStart - 1, aStart - 1 + aCount)
    : pair.b.partsOf(bStart - 1, bStart - 1 + bCount);
}

const touches = ([start, end]: Range, [from, to]: Range): boolean => start < to && from < end;

function filesOf(elements: readonly DrawnElement[]): SuggestedRule[] {
  return elements.flatMap(({ src }) => {
    if (src === null || !/^https?:/.test(src)) return [];
    const fields = {
      selector: null,
      name: null,
      parameter: null,
      syntax: "literal",
      before: null,
      after: null,
    } as const;
    const spec: RuleSpec = { ...fields, kind: "file", pattern: src.replace(/\?.*$/s, "*") };
    return [{ ...spec, share: 0, title: titleOf(spec) }];
  });
}

function specFields({ kind, selector, name, parameter, pattern, before, after }: RuleSpec): unknown[] {
  return [kind, selector, name, parameter, pattern, before, after];
}
