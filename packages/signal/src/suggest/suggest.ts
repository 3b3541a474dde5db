import type { AppliedRule, RuleSpec } from "@web-tester/contracts/entities/rule";
import type { DiffHunk } from "@web-tester/diff/hunks/hunks";
import { visibleText } from "@web-tester/html/text/visible-text";
import type { Element } from "domhandler";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import type { Range } from "../mask/page.js";
import { type CompiledRule, compileRule } from "../rules/compile-rule.js";
import { type DescribedSpot, noFields, SpotReader } from "./describe-spot.js";
import { inOneText, type Spot, spotsOf } from "./spots.js";
import { wholeElements } from "./whole-elements.js";
import { isMadeUp, partOfText, valuePattern } from "./value-pattern.js";

/** A rule that silences a changed place. */
export interface Suggestion {
  readonly spec: RuleSpec;
  /** Share of the page's visible text that it covers. */
  readonly share: number;
}

/** Elements around a changed place that are offered. */
const levels = 3;

/** Two versions of a page, and the rules that hold for it already. */
export class PagePair {
  readonly a: LeftPage;
  readonly b: LeftPage;
  readonly hunks: readonly DiffHunk[];
  #reader: SpotReader | null = null;
  #olderReader: SpotReader | null = null;
  #textLength: number | null = null;

  constructor(
    readonly before: string,
    readonly after: string,
    readonly rules: readonly CompiledRule[],
    /** Places that are looked at; without it all are. */
    readonly isMeant?: (spot: DescribedSpot, isJoined: boolean) => boolean,
  ) {
    this.a = new LeftPage(before, rules);
    this.b = new LeftPage(after, rules);
    this.hunks = assess(this.a, this.b).hunks;
  }

  get reader(): SpotReader {
    this.#reader ??= new SpotReader(this.before, this.after);
    return this.#reader;
  }

  /** Reads the older version, with what the newer one does not have. */
  get #older(): SpotReader {
    this.#olderReader ??= new SpotReader(this.after, this.before);
    return this.#olderReader;
  }

  /** Elements that stand in place of others, or come and go: a rule for both, null where the block is something else. */
  elementsRule(hunk: DiffHunk): RuleSpec | null {
    if (this.isMeant !== undefined && this.spots(hunk).length < this.#placesOf(hunk).length) return null;
    const selector = wholeElements([this.#older, this.reader], this.#placesOf(hunk));
    return selector === null ? null : { ...noFields, kind: "element", selector };
  }

  /** The places of a changed block. `isJoined`: those of one text are one, from the first to the last. */
  spots(hunk: DiffHunk, isJoined = false): DescribedSpot[] {
    const spots = this.#placesOf(hunk);
    const described = (isJoined ? inOneText(spots, this.before, this.after) : spots).map((spot) =>
      this.reader.describe(spot),
    );
    return described.filter((spot) => this.isMeant === undefined || this.isMeant(spot, isJoined));
  }

  /** Those that rules do not hide on both sides. */
  #placesOf(hunk: DiffHunk): Spot[] {
    const isMasked = ({ mask }: LeftPage, [from, to]: Range) =>
      from === to || mask.masked.some((range) => range.from <= from && to <= range.to);
    return spotsOf(this.a, this.b, hunk).filter(({ a, b }) => !isMasked(this.a, a) || !isMasked(this.b, b));
  }

  /** The rules that silence a changed block, the narrowest first. */
  suggest(hunk: DiffHunk): Suggestion[] {
    const spots = this.spots(hunk);
    const all: Range = [
      Math.min(...spots.map(({ spot }) => spot.b[0])),
      Math.max(...spots.map(({ spot }) => spot.b[1])),
    ];
    const candidates = [...spots.flatMap((spot) => narrowRules([spot])), ...this.elementRules(all)];
    const found = new Map<string, Suggestion>();
    for (const spec of candidates) {
      const key = JSON.stringify(spec);
      if (found.has(key)) continue;
      const share = this.shareIfSilent(spec, hunk);
      if (share !== null) found.set(key, { spec, share });
    }
    return [...found.values()];
  }

  /** Rules about the order inside the elements around a place, and about these elements, the smallest first. */
  elementRules(range: Range): RuleSpec[] {
    const rules: RuleSpec[] = [];
    let element = this.reader.smallestAround(range);
    for (let level = 0; level < levels && element !== null; level += 1) {
      if (["html", "body", "head"].includes(element.name)) break;
      const selector = this.reader.selectorOf(element);
      rules.push({ ...noFields, kind: "order", selector }, { ...noFields, kind: "element", selector });
      const { parent }: Element = element;
      element = parent !== null && "name" in parent ? parent : null;
    }
    // a rule about an order hides nothing else, whatever it is about
    return rules.toSorted((one, other) => Number(other.kind === "order") - Number(one.kind === "order"));
  }

  /** @returns the share of text that a rule covers; null where the block would still count */
  shareIfSilent(spec: RuleSpec, hunk: DiffHunk): number | null {
    const rule = compiledOr(spec, null);
    if (rule === null) return null;
    const rules = [...this.rules, rule];
    const [a, b] = [new LeftPage(this.before, rules), new LeftPage(this.after, rules)];
    const after = assess(a, b);
    if (after.hunks.length >= this.hunks.length) return null;
    const { bStart, bCount, aStart, aCount } = hunk;
    const isStill =
      this.b.partsOf(bStart - 1, bStart - 1 + bCount).some((part) => after.inB.overlap(...part)) ||
      this.a.partsOf(aStart - 1, aStart - 1 + aCount).some((part) => after.inA.overlap(...part));
    return isStill ? null : this.#shareOf(b, rule);
  }

  /** @returns the share of text that a rule covers; null where it does not cover a place in both versions */
  shareIfCovered(spec: RuleSpec, { spot }: DescribedSpot): number | null {
    const rule = compiledOr(spec, null);
    if (rule === null) return null;
    const [a, b] = [new LeftPage(this.before, [rule]), new LeftPage(this.after, [rule])];
    const covers = ({ mask }: LeftPage, [from, to]: Range) =>
      from === to || mask.masked.some((range) => range.from <= from && to <= range.to);
    return covers(a, spot.a) && covers(b, spot.b) ? this.#shareOf(b, rule) : null;
  }

  #shareOf(page: LeftPage, rule: CompiledRule): number {
    this.#textLength ??= Math.max(1, visibleText(this.after).length);
    const hidden = page.mask.masked.filter((range) => range.rule === rule.id);
    const text = hidden.reduce((sum, { from, to }) => sum + shownLength(this.after, from, to), 0);
    return Math.min(1, text / this.#textLength);
  }
}

/** Characters of a part of a page that a reader sees; of a part of a tag, of a script or a style, none. */
function shownLength(html: string, from: number, to: number): number {
  const isInTag = html.lastIndexOf("<", from) > html.lastIndexOf(">", from - 1) && html[from] !== "<";
  const isIn = (name: string) => html.lastIndexOf(`<${name}`, from) > html.lastIndexOf(`</${name}`, from);
  return isInTag || isIn("script") || isIn("style") ? 0 : visibleText(html.slice(from, to)).length;
}

function compiledOr<Other>(spec: RuleSpec, other: Other): CompiledRule | Other {
  const rule: AppliedRule = { ...spec, id: "suggested", path: "*", note: "" };
  try {
    return compileRule(rule);
  } catch {
    return other;
  }
}

/**
 * Rules for the value of one place, as it was seen on one page or on several: the narrowest first.
 * @param isWhole false: each spot is perhaps a part only of what differs, so that any words, or all of an attribute, are too much
 */
export function narrowRules(spots: readonly DescribedSpot[], isWhole = true): RuleSpec[] {
  const [first] = spots;
  if (first === undefined) return [];
  const seen = [
    spots.map(({ before }) => before),
    spots.flatMap(({ values }) => values),
    spots.map(({ after }) => after),
  ] as const;
  const patterns = [valuePattern(...seen, isWhole), isWhole && spots.length > 1 ? partOfText(...seen) : null];
  const text = patterns.flatMap((pattern): RuleSpec[] =>
    pattern === null ? [] : [{ ...noFields, kind: "text", syntax: "re2", pattern }],
  );
  const { attribute: name, parameter, element } = first;
  if (name === null || element === null) return text;
  const whole: RuleSpec = { ...noFields, kind: "attribute", selector: first.selector, name };
  const isParameter = parameter !== null && spots.every((spot) => spot.parameter === parameter);
  // what is made up for one answer, as a session, stands in most links of a page
  const isEverywhere = spots.every(({ values }) => values.every((value) => value.length >= 8 && isMadeUp(value)));
  const anywhere = { ...whole, selector: element.name, parameter };
  const there = { ...whole, parameter };
  return [
    ...(isParameter ? (isEverywhere ? [anywhere] : [there, anywhere]) : []),
    // of an attribute that says more than this value, only the value
    ...(spots.every(({ isPart }) => isPart) ? text : []),
    ...(isWhole || spots.some(({ isPart }) => !isPart) ? [whole] : []),
  ];
}
