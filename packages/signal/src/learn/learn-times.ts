import type { RuleSpec } from "@web-tester/contracts/entities/rule";
import { noFields } from "../suggest/describe-spot.js";
import type { PagePair } from "../suggest/suggest.js";
import { durations, isDuration, relativeTimes } from "../values/relative-time.js";
import type { Learned } from "./learned.js";

const pagesMin = 2;
const valuesKept = 5;
const timeMaxChars = 60;
/** Matches an attribute with a date, and the rest of its tag. */
const datedTag = /\b(?:title|datetime)=["']?\d{4}-\d{2}-\d{2}[^<>]*$/;
const dated = `\\b(?:title|datetime)=["']?[0-9]{4}-[0-9]{2}-[0-9]{2}[^<>]{0,200}`;
const unitClass = `["' ]([\\w-]{0,20}(?:seconds?|secs?|minutes?|mins?|hours?|days?|weeks?|months?|years?))["']`;

/**
 * Returns rules for elements that only say how long ago something was: they differ after a while, even if two fetches
 * seconds apart do not show it. These are texts such as "3 minutes ago", and "3 min." in an element with the date in an
 * attribute. Longer texts with such a time in them are not covered.
 */
export function learnTimes(pairs: readonly PagePair[]): Learned[] {
  const found = new Map<string, { pages: Set<string>; values: Set<string>; times: number }>();
  const add = (pattern: string, path: string, text: string) => {
    const known = found.get(pattern) ?? { pages: new Set(), values: new Set(), times: 0 };
    known.pages.add(path);
    known.values.add(text);
    known.times += 1;
    found.set(pattern, known);
  };
  for (const { after, path } of pairs) {
    for (const [, tag = "", inner = ""] of after.matchAll(/<([^<>]+)>([^<>]+)(?=<)/g)) {
      const text = inner.trim();
      if (text === "" || text.length > timeMaxChars) continue;
      const pattern = relativeTimes([text]);
      if (pattern !== null) add(`>\\s*(${pattern})\\s*<`, path, text);
      if (!datedTag.test(tag) || (pattern === null && !isDuration(text))) continue;
      if (pattern === null) add(`${dated}>\\s*(${durations})\\s*<`, path, text);
      if (/(?:second|sec|minute|min|hour|day|week|month|year)s?["']/.test(tag))
        add(`${unitClass}[^<>]{0,100}${dated}>`, path, text);
    }
  }
  return [...found].flatMap(([pattern, { pages, values, times }]) => {
    if (pages.size < pagesMin) return [];
    const spec: RuleSpec = { ...noFields, kind: "text", syntax: "re2", pattern };
    const share = Math.max(...pairs.map((pair) => pair.shareOf(spec)));
    const looked = new Set(pairs.map(({ path }) => path)).size;
    return [{ spec, evidence: { pages: pages.size, looked, times, values: [...values].slice(0, valuesKept), share } }];
  });
}
