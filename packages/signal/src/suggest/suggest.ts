import type { AppliedRule, RuleSpec } from "@web-tester/contracts/entities/rule";
import type { DiffHunk } from "@web-tester/diff/hunks/hunks";
import { visibleText } from "@web-tester/html/text/visible-text";
import type { Element } from "domhandler";
import { assess } from "../compare/assess.js";
import { LeftPage } from "../compare/left-page.js";
import { readSelector } from "../mask/find-elements.js";
import { NotApplied } from "../mask/not-applied.js";
import { Page, type Range } from "../mask/page.js";
import { type CompiledRule, compileRule } from "../rules/compile-rule.js";
import { selectorOf } from "./selector-of.js";
import { type Spot, spotsOf } from "./spots.js";
import { valuePattern } from "./value-pattern.js";

/** A rule that silences a changed place. */
export interface Suggestion {
  readonly spec: RuleSpec;
  /** Share of the page's visible text that it covers. */
  readonly share: number;
  /** What stood there, in both versions. */
  readonly values: readonly string[];
}

const none: Omit<RuleSpec, "kind"> = {
  ...{ selector: null, name: null, parameter: null, pattern: null, syntax: "literal", before: null, after: null },
};
/** Elements around a changed place that are offered. */
const levels = 3;
const valueMaxChars = 200;

/** Two versions of a page, and the rules that hold for it already. */
export class PagePair {
  readonly a: LeftPage;
  readonly b: LeftPage;
  readonly hunks: readonly DiffHunk[];
  readonly #pages: readonly [Page, Page];
  readonly #textLength: number;
  #elements: Element[] | null = null;

  constructor(
    readonly before: string,
    readonly after: string,
    readonly rules: readonly CompiledRule[],
  ) {
    this.a = new LeftPage(before, rules);
    this.b = new LeftPage(after, rules);
    this.hunks = assess(this.a, this.b).hunks;
    this.#pages = [new Page(before), new Page(after)];
    this.#textLength = Math.max(1, visibleText(after).length);
  }

  /** The rules that silence a changed block, the narrowest first. */
  suggest(hunk: DiffHunk): Suggestion[] {
    const spots = spotsOf(this.a, this.b, hunk);
    const values = [...new Set(spots.flatMap(({ a, b }) => [this.before.slice(...a), this.after.slice(...b)]))].map(
      (value) => value.slice(0, valueMaxChars).toWellFormed(),
    );
    const found = new Map<string, Suggestion>();
    for (const spec of this.#candidates(spots)) {
      const key = JSON.stringify(spec);
      if (found.has(key)) continue;
      const share = this.#shareIfSilent(spec, hunk);
      if (share !== null) found.set(key, { spec, share, values });
    }
    return [...found.values()];
  }

  /** Those of one place, then those of the elements around all of them. */
  #candidates(spots: readonly Spot[]): RuleSpec[] {
    const attributes = spots.map((spot) => this.#attributeRules(spot));
    const texts = spots.map((spot) => this.#textRule(spot));
    const all: Range = [Math.min(...spots.map(({ b }) => b[0])), Math.max(...spots.map(({ b }) => b[1]))];
    return [
      // one rule that is the same for every place of the block, or the only place's own
      ...attributes.flat(),
      ...texts.filter((rule) => rule !== null),
      ...this.#elementRules(all),
    ];
  }

  #attributeRules({ a, b }: Spot): RuleSpec[] {
    const element = this.#elementWithTagAt(b);
    if (element === null) return [];
    const names = Object.keys(element.attribs).filter((name) => {
      const place = this.#pages[1].attribute(element, name);
      return place !== null && place.range[0] <= b[0] && b[1] <= place.range[1];
    });
    const selector = selectorOf(element);
    return names.flatMap((name) => {
      const value = this.#pages[1].attribute(element, name)?.value ?? [0, 0];
      const parameter = parameterAt(this.after, value, b);
      const whole: RuleSpec = { ...none, kind: "attribute", selector, name };
      const wider: RuleSpec = { ...none, kind: "attribute", selector: element.name, name };
      const pattern = valuePattern(
        this.after.slice(0, b[0]),
        [this.before.slice(...a), this.after.slice(...b)],
        this.after.slice(b[1], b[1] + 100),
      );
      return [
        ...(parameter === null
          ? []
          : [
              { ...whole, parameter },
              { ...wider, parameter },
            ]),
        // of an attribute that says more than this value, only the value
        ...(pattern !== null && value[1] - value[0] > b[1] - b[0] + 4
          ? [{ ...none, kind: "text" as const, syntax: "re2" as const, pattern }]
          : []),
        whole,
      ];
    });
  }

  #textRule({ a, b }: Spot): RuleSpec | null {
    if (this.#elementWithTagAt(b) !== null) return null;
    const [from, to] = wordAround(this.after, b);
    const [fromA, toA] = wordAround(this.before, a);
    const pattern = valuePattern(
      this.after.slice(Math.max(0, from - 200), from),
      [this.before.slice(fromA, toA), this.after.slice(from, to)],
      this.after.slice(to, to + 100),
    );
    return pattern === null ? null : { ...none, kind: "text", syntax: "re2", pattern };
  }

  #elementRules(range: Range): RuleSpec[] {
    const rules: RuleSpec[] = [];
    let element = this.#smallestAround(range);
    for (let level = 0; level < levels && element !== null; level += 1) {
      if (["html", "body", "head"].includes(element.name)) break;
      const selector = selectorOf(element);
      rules.push({ ...none, kind: "order", selector }, { ...none, kind: "element", selector });
      const { parent }: Element = element;
      element = parent !== null && "name" in parent ? parent : null;
    }
    // a rule about an order hides nothing else, whatever it is about
    return rules.toSorted((one, other) => Number(other.kind === "order") - Number(one.kind === "order"));
  }

  /** @returns the share of text that the rule covers; null where the block would still count */
  #shareIfSilent(spec: RuleSpec, hunk: DiffHunk): number | null {
    const rule: AppliedRule = { ...spec, id: "suggested", path: "*", note: "" };
    let compiled: CompiledRule;
    try {
      compiled = compileRule(rule);
    } catch {
      return null;
    }
    const [a, b] = [
      new LeftPage(this.before, [...this.rules, compiled]),
      new LeftPage(this.after, [...this.rules, compiled]),
    ];
    const after = assess(a, b);
    if (after.hunks.length >= this.hunks.length) return null;
    const { bStart, bCount, aStart, aCount } = hunk;
    const isStill =
      this.b.partsOf(bStart - 1, bStart - 1 + bCount).some((part) => after.inB.overlap(...part)) ||
      this.a.partsOf(aStart - 1, aStart - 1 + aCount).some((part) => after.inA.overlap(...part));
    if (isStill) return null;
    const hidden = b.mask.masked.filter((range) => range.rule === rule.id);
    const text = hidden.reduce((sum, { from, to }) => sum + visibleText(this.after.slice(from, to)).length, 0);
    return spec.kind === "attribute" ? 0 : Math.min(1, text / this.#textLength);
  }

  #all(): Element[] {
    try {
      this.#elements ??= this.#pages[1].elements(readSelector("*"));
    } catch (error) {
      if (!(error instanceof NotApplied)) throw error;
      this.#elements = [];
    }
    return this.#elements;
  }

  /** The element in whose start tag a place stands; null where it stands elsewhere. */
  #elementWithTagAt([from, to]: Range): Element | null {
    const element = this.#all().findLast((each) => (each.startIndex ?? 0) < from);
    if (element === undefined) return null;
    const end = startTagEnd(this.#pages[1], element);
    return to <= end ? element : null;
  }

  #smallestAround([from, to]: Range): Element | null {
    let smallest: Element | null = null;
    for (const element of this.#all()) {
      if ((element.startIndex ?? 0) > from) break;
      const [start, end] = this.#pages[1].rangeOf(element);
      if (start <= from && to <= end) smallest = element;
    }
    return smallest;
  }
}

/** Behind the last attribute of a start tag. */
function startTagEnd(page: Page, element: Element): number {
  let end = (element.startIndex ?? 0) + 1 + element.name.length;
  for (const name of Object.keys(element.attribs)) end = Math.max(end, page.attribute(element, name)?.range[1] ?? 0);
  return end;
}

/** The query parameter whose value a place in an attribute is part of; null where it is part of more, or of none. */
function parameterAt(html: string, [from, to]: Range, [spotFrom, spotTo]: Range): string | null {
  const value = html.slice(from, to);
  const start = Math.max(value.lastIndexOf("?", spotFrom - from - 1), value.lastIndexOf("&", spotFrom - from - 1));
  if (start === -1) return null;
  const equals = value.indexOf("=", start);
  if (equals === -1 || equals >= spotFrom - from) return null;
  const name = value.slice(start + 1, equals).replace(/^amp;/, "");
  return /[&?#]/.test(value.slice(equals + 1, spotTo - from)) || name === "" ? null : name;
}

/** The value that a place is part of: what stands around it without white space, quotes or markup. */
function wordAround(text: string, [from, to]: Range): Range {
  let [start, end] = [from, to];
  while (start > 0 && from - start < valueMaxChars && /[A-Za-z0-9_+/=.:~-]/.test(text.charAt(start - 1))) start -= 1;
  while (end < text.length && end - to < valueMaxChars && /[A-Za-z0-9_+/=~-]/.test(text.charAt(end))) end += 1;
  // "id=a1": the name is no part of the value
  const equals = text.slice(start, from).lastIndexOf("=");
  if (equals !== -1 && start + equals + 1 < from + 1) start += equals + 1;
  return [start, end];
}
