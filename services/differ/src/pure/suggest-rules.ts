import type { RuleSpec, SuggestedRule } from "@web-tester/contracts/entities/rule";
import type { ContentForm } from "@web-tester/contracts/entities/vocabulary";
import { sourceOf } from "@web-tester/signal/compare/assess";
import { PagePair } from "@web-tester/signal/suggest/suggest";
import { titleOf } from "@web-tester/contracts/rule-title";
import type { Asked } from "./pair-signal.js";
import { rulesFor } from "./pair-signal.js";
import { linesIn } from "./tell-ignored.js";

const suggestedMax = 8;

/** Rules that silence the changed block that a line belongs to, the narrowest first; none where the line does not count as it is. */
export function suggestRules(
  a: string,
  b: string,
  { as, side, line, asked }: { as: ContentForm; side: "a" | "b"; line: number; asked: Asked },
): SuggestedRule[] {
  const pair = new PagePair(a, b, rulesFor(asked));
  const html = side === "a" ? a : b;
  const [from, to] = sourceOf(linesIn(html, as), line - 1, 1, html.length);
  const found: SuggestedRule[] = [];
  for (const hunk of pair.hunks) {
    const parts =
      side === "a"
        ? pair.a.partsOf(hunk.aStart - 1, hunk.aStart - 1 + hunk.aCount)
        : pair.b.partsOf(hunk.bStart - 1, hunk.bStart - 1 + hunk.bCount);
    if (!parts.some(([start, end]) => start < to && from < end)) continue;
    for (const { spec, share } of pair.suggest(hunk)) found.push({ ...spec, share, title: titleOf(spec) });
    if (found.length >= suggestedMax) break;
  }
  const distinct = new Map(found.map((rule) => [JSON.stringify(specFields(rule)), rule]));
  return [...distinct.values()].slice(0, suggestedMax);
}

function specFields({ kind, selector, name, parameter, pattern, before, after }: RuleSpec): unknown[] {
  return [kind, selector, name, parameter, pattern, before, after];
}
