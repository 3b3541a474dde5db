import type { AppliedRule, RuleSpec } from "@web-tester/contracts/entities/rule";
import { limits } from "@web-tester/contracts/limits";
import type { DiffHunk } from "@web-tester/diff/hunks/hunks";
import { visibleText } from "@web-tester/html/text/visible-text";
import type { Element } from "domhandler";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import type { Range } from "../mask/page.js";
import { type CompiledRule, compileRule } from "../rules/compile-rule.js";
import { type DescribedSpot, noFields, SpotReader } from "./describe-spot.js";
import { arrayOf } from "./arrays.js";
import { shownPlaces } from "./shown-places.js";
import { inOneText, type Spot, spotsOf } from "./spots.js";
import { wholeElements, type WholeElements } from "./whole-elements.js";
import { type Mask, maskPage } from "../mask/mask-page.js";
import { classOf, isMadeUp } from "../values/value-class.js";
import { anyPartOfText, partOfText, phrasePattern, type SeenValues, valuePattern } from "../values/value-pattern.js";

/** A rule that silences a changed place. */
export interface Suggestion {
  readonly spec: RuleSpec;
  /** The share of the page's visible text that it covers. */
  readonly share: number;
}

/** The number of enclosing elements that are offered for a changed place. */
const levels = 3;

/** Two versions of a page, and the rules that already hold for it. */
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
    /** Whether a place is considered; without it, all are. */
    readonly isMeant?: (spot: DescribedSpot, isJoined: boolean) => boolean,
    readonly path = "",
  ) {
    this.a = new LeftPage(before, rules);
    this.b = new LeftPage(after, rules);
    this.hunks = assess(this.a, this.b).hunks;
  }

  get reader(): SpotReader {
    this.#reader ??= new SpotReader(this.before, this.after);
    return this.#reader;
  }

  /** A reader of the older version, whose counterpart is the newer one. */
  get #older(): SpotReader {
    this.#olderReader ??= new SpotReader(this.after, this.before);
    return this.#olderReader;
  }

  /**
   * Returns the elements that replace one another, or come and go, in a changed block; null where the block is something else.
   */
  wholeElements(hunk: DiffHunk): WholeElements | null {
    if (this.isMeant !== undefined && this.spots(hunk).length < this.#placesOf(hunk).length) return null;
    return wholeElements([this.#older, this.reader], this.#placesOf(hunk));
  }

  /** Returns the texts of some elements in both versions: with their tags, and their content. */
  textsOf(selector: string): { whole: string[]; content: string[] } {
    const readers = [this.#older, this.reader];
    return {
      whole: readers.flatMap((reader) => reader.textsOf(selector, "whole")),
      content: readers.flatMap((reader) => reader.textsOf(selector, "content")),
    };
  }

  /** Returns the places of a changed block. `isJoined`: those in one text are joined, from the first to the last. */
  spots(hunk: DiffHunk, isJoined = false): DescribedSpot[] {
    const spots = this.#placesOf(hunk);
    const described = (isJoined ? inOneText(spots, this.before, this.after) : spots).map((spot) =>
      this.reader.describe(spot),
    );
    return described.filter((spot) => this.isMeant === undefined || this.isMeant(spot, isJoined));
  }

  /** The arrays in scripts in which a block differs, each once. */
  arrays(hunk: DiffHunk): DescribedSpot[] {
    const found = this.spots(hunk).flatMap((spot) => arrayOf(spot, this.before, this.after) ?? []);
    return [...new Map(found.map((array) => [array.spot.b[0], array])).values()];
  }

  /** Those that rules do not hide on both sides. */
  #placesOf(hunk: DiffHunk): Spot[] {
    const isMasked = ({ mask }: LeftPage, [from, to]: Range) =>
      from === to || mask.masked.some((range) => range.from <= from && to <= range.to);
    return spotsOf(this.a, this.b, hunk).filter(({ a, b }) => !isMasked(this.a, a) || !isMasked(this.b, b));
  }

  /** Returns the rules that silence a changed block, the narrowest first. */
  suggest(hunk: DiffHunk): Suggestion[] {
    const spots = this.spots(hunk);
    const all: Range = [
      Math.min(...spots.map(({ spot }) => spot.b[0])),
      Math.max(...spots.map(({ spot }) => spot.b[1])),
    ];
    const candidates = [
      ...spots.flatMap((spot) => narrowRules([spot])),
      ...spots.flatMap((spot) => wideRules([spot])),
      ...this.elementRules(all),
      { ...noFields, kind: "markup" as const },
    ];
    const found = new Map<string, Suggestion>();
    for (const spec of candidates) {
      const key = JSON.stringify(spec);
      if (found.has(key)) continue;
      const share = this.shareIfSilent(spec, hunk);
      if (share !== null) found.set(key, { spec, share });
    }
    return [...found.values()];
  }

  /** Returns rules about the order inside the elements around a place, and about these elements, the smallest first. */
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
    // a rule about an order hides nothing but the order, whatever its element
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
    return isStill ? null : this.#shareOf(b.mask, rule);
  }

  /** @returns the share of text that a rule covers; null where it does not cover a place in both versions */
  shareIfCovered(spec: RuleSpec, { spot }: DescribedSpot): number | null {
    const rule = compiledOr(spec, null);
    if (rule === null) return null;
    const masks = [maskPage(this.before, [rule]), maskPage(this.after, [rule])] as const;
    const covers = ({ masked }: Mask, [from, to]: Range) =>
      masked.some((range) => range.from <= from && to <= range.to) || (from === to && masked.length > 0);
    return covers(masks[0], spot.a) && covers(masks[1], spot.b) ? this.#shareOf(masks[1], rule) : null;
  }

  /** Returns the share of the newer version's text that a rule covers. */
  shareOf(spec: RuleSpec): number {
    const rule = compiledOr(spec, null);
    return rule === null ? 0 : this.#shareOf(maskPage(this.after, [rule]), rule);
  }

  /** Returns what a rule hides of both versions, in page order. */
  hiddenBy(spec: RuleSpec): [before: string[], after: string[]] {
    const rule = compiledOr(spec, null);
    const of = (html: string) =>
      rule === null ? [] : maskPage(html, [rule]).masked.map(({ from, to }) => html.slice(from, to));
    return [of(this.before), of(this.after)];
  }

  /** Whether a rule would hide another value in place of one that it hides in the older version. */
  wouldHide(spec: RuleSpec, value: string, other: string): boolean {
    const rule = compiledOr(spec, null);
    if (rule === null) return false;
    const html = this.before.replaceAll(value, () => other);
    return maskPage(html, [rule]).masked.some(({ from, to }) => html.slice(from, to) === other);
  }

  #shareOf(mask: Mask, rule: CompiledRule): number {
    this.#textLength ??= Math.max(1, visibleText(this.after).length);
    const hidden = mask.masked.filter((range) => range.rule === rule.id);
    const isShown = shownPlaces(this.after);
    const text = hidden
      .filter(({ from }) => isShown(from))
      .reduce((sum, { from, to }) => sum + visibleText(this.after.slice(from, to)).length, 0);
    return Math.min(1, text / this.#textLength);
  }
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
 * Returns rules for the value of one place, as it was seen on one page or several: the narrowest first. All of them
 * restrict the value, so that anything else in its place is still reported.
 * @param isWhole false where each spot may be only a part of what differs, so that its words do not form a list
 */
export function narrowRules(spots: readonly DescribedSpot[], isWhole = true): RuleSpec[] {
  const [first] = spots;
  if (first === undefined) return [];
  const seen = seenIn(spots);
  const text = textRules([valuePattern(seen, isWhole), isWhole ? partOfText(seen) : null]);
  const { attribute: name, parameter, element } = first;
  const pattern = classOf(seen.values, isWhole);
  if (name === null || element === null || pattern === null) return text;
  const whole: RuleSpec = { ...noFields, kind: "attribute", selector: first.selector, name, pattern, syntax: "re2" };
  const isParameter = parameter !== null && spots.every((spot) => spot.parameter === parameter);
  // a generated value such as a session id is in most links of a page
  const isEverywhere = spots.every(({ values }) => values.every((value) => value.length >= 8 && isMadeUp(value)));
  const anywhere = { ...whole, selector: element.name, parameter };
  const there = { ...whole, parameter };
  return [
    ...(isParameter ? (isEverywhere ? [anywhere] : [there, anywhere]) : []),
    // only the value, of an attribute that contains more
    ...(spots.every(({ isPart }) => isPart) ? text : [whole, ...text]),
  ];
}

/** Returns rules that hide whatever is at a place: for a person to decide. */
export function wideRules(spots: readonly DescribedSpot[]): RuleSpec[] {
  const [first] = spots;
  if (first === undefined) return [];
  const seen = seenIn(spots);
  const text = textRules([phrasePattern(seen), spots.length > 1 ? anyPartOfText(seen) : null]);
  const { attribute: name, parameter, selector } = first;
  if (name === null || first.element === null) return text;
  const whole: RuleSpec = { ...noFields, kind: "attribute", selector, name };
  const isParameter = parameter !== null && spots.every((spot) => spot.parameter === parameter);
  return [...(isParameter ? [{ ...whole, parameter }] : []), ...text, whole];
}

const seenIn = (spots: readonly DescribedSpot[]): SeenValues => ({
  befores: spots.map(({ before }) => before),
  values: spots.flatMap(({ values }) => values),
  afters: spots.map(({ after }) => after),
});

const textRules = (patterns: readonly (string | null)[]): RuleSpec[] =>
  [...new Set(patterns)].flatMap((pattern): RuleSpec[] =>
    pattern === null || pattern.length > limits.rulePatternMaxChars
      ? []
      : [{ ...noFields, kind: "text", syntax: "re2", pattern }],
  );
