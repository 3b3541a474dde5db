import { AppError } from "@web-tester/contracts/errors";
import type { AppliedRule, RuleSpec } from "@web-tester/contracts/entities/rule";
import { wildcardSet } from "@web-tester/urls/wildcard-set";
import { readSelector } from "../mask/find-elements.js";
import type { Page, Range } from "../mask/page.js";
import { betweenPattern, expressionPattern, hasGroups, literalPattern } from "../mask/text-pattern.js";
import { wholePattern } from "../mask/whole-pattern.js";

/**
 * The parts of a page that a rule names. `mask`: they do not count; `values`: their values do not count, but their
 * presence does; `keep`: only they count; `order`: their order does not count.
 */
type RuleEffect =
  | { readonly mask: readonly Range[] }
  | { readonly values: readonly Range[] }
  | { readonly keep: readonly Range[] }
  | { readonly order: readonly Range[][] }
  | null;

/** A rule that is ready to be evaluated. */
export interface CompiledRule {
  readonly id: string;
  /** A text that is equal for rules with the same meaning. */
  readonly key: string;
  /** Whether only what readers get counts (`textForm`). */
  readonly isText: boolean;
  /** Whether it holds for a page, given its path and query. */
  holdsFor(path: string): boolean;
  /** Returns its effect on a page. @throws NotApplied */
  evaluate(page: Page): RuleEffect;
  /** Whether it ignores a file, by its address. */
  ignoresFile(url: string): boolean;
  /** Whether it ignores a fact beside a page's content, by the name of the header or fact. */
  ignoresFact(name: string): boolean;
}

/** @throws AppError invalid_input where a field is missing or invalid, with a message for the author */
export function compileRule(rule: AppliedRule): CompiledRule {
  const path = rule.path === "" ? "*" : rule.path;
  const holds = wildcardSet([path]);
  const never = () => false;
  return {
    id: rule.id,
    key: JSON.stringify([path, ...Object.values(specOf(rule))]),
    isText: rule.kind === "markup",
    holdsFor: (of) => holds(of) !== -1,
    evaluate: evaluator(rule),
    ignoresFile: rule.kind === "file" ? fileMatcher(rule) : never,
    ignoresFact: rule.kind === "header" ? factMatcher(rule) : rule.kind === "markup" ? isInMarkup : never,
  };
}

/** Returns only the fields of a rule that define it, without id, path or note. */
export function specOf({ kind, selector, name, parameter, pattern, syntax, before, after }: RuleSpec): RuleSpec {
  return { kind, selector, name, parameter, pattern, syntax, before, after };
}

function evaluator(rule: RuleSpec): (page: Page) => RuleEffect {
  switch (rule.kind) {
    case "element": {
      const selector = readSelector(needed(rule, "selector"));
      const begin = valueTest(rule);
      if (begin === null) return (page) => ({ mask: page.elements(selector).map((element) => page.rangeOf(element)) });
      return (page) => {
        const elements = page.elements(selector);
        const isLike = begin();
        return { values: elements.flatMap((element) => likely(page, page.contentOf(element), isLike)) };
      };
    }
    case "keep": {
      const selector = readSelector(needed(rule, "selector"));
      return (page) => {
        const keep = page.elements(selector).map((element) => page.rangeOf(element));
        return keep.length === 0 ? null : { keep };
      };
    }
    case "order": {
      const selector = readSelector(needed(rule, "selector"));
      return (page) => ({
        order: page
          .elements(selector)
          .map((element) =>
            element.children.flatMap((child) => ("children" in child && "name" in child ? [page.rangeOf(child)] : [])),
          ),
      });
    }
    case "attribute":
      return attributeEvaluator(rule);
    case "text": {
      const pattern = needed(rule, "pattern");
      const find = rule.syntax === "re2" ? expressionPattern(pattern) : literalPattern(pattern);
      if (rule.syntax === "re2" && hasGroups(pattern)) return ({ html }) => ({ values: find(html) });
      return ({ html }) => ({ mask: find(html) });
    }
    case "between": {
      const find = betweenPattern(needed(rule, "before"), needed(rule, "after"));
      return ({ html }) => ({ mask: find(html) });
    }
    case "file":
      needed(rule, "pattern");
      return () => null;
    case "header":
      factMatcher(rule);
      return () => null;
    case "markup":
      return () => null;
  }
}

function attributeEvaluator(rule: RuleSpec): (page: Page) => RuleEffect {
  const selector = readSelector(needed(rule, "selector"));
  const name = needed(rule, "name").toLowerCase();
  const parameter = rule.parameter === null || rule.parameter === "" ? null : rule.parameter;
  const begin = valueTest(rule);
  return (page) => {
    const places = page.elements(selector).flatMap((element) => page.attribute(element, name) ?? []);
    const values =
      parameter === null ? null : places.flatMap(({ value }) => parameterValues(page.html, value, parameter));
    if (begin === null) return { mask: values ?? places.map(({ range }) => range) };
    const isLike = begin();
    return { values: (values ?? places.map(({ value }) => value)).flatMap((value) => likely(page, value, isLike)) };
  };
}

/** Returns a test of whether the rule means a value, to be started for each page; null where it means any value. */
function valueTest({ pattern, syntax }: RuleSpec): (() => (value: string) => boolean) | null {
  return pattern === null || pattern.trim() === "" ? null : wholePattern(pattern, syntax);
}

const likely = (page: Page, [from, to]: Range, isLike: (value: string) => boolean): Range[] =>
  to > from && isLike(page.html.slice(from, to)) ? [[from, to]] : [];

/** Returns the ranges of a query parameter's values in the addresses of an attribute. */
function parameterValues(html: string, [from, to]: Range, parameter: string): Range[] {
  const value = html.slice(from, to);
  const found: Range[] = [];
  const wanted = `${parameter}=`;
  for (let at = value.indexOf(wanted); at !== -1; at = value.indexOf(wanted, at + 1)) {
    const before = value.charAt(at - 1);
    if (at === 0 || !"?&;".includes(before)) continue;
    const start = at + wanted.length;
    // a comma is part of a value, unless it separates the addresses of a srcset
    const end = value.slice(start).search(/[&#\s]|,(?=\s|$)/);
    found.push([from + start, end === -1 ? to : from + start + end]);
  }
  return found;
}

/** The internal names of facts, by the names that people use. */
const facts: Readonly<Record<string, string>> = {
  "content-type": "content_type",
  "content-security-policy": "csp",
  "x-robots-tag": "x_robots_tag",
  location: "redirect",
};

function factMatcher(rule: RuleSpec): (name: string) => boolean {
  const name = needed(rule, "name").toLowerCase();
  const fact = facts[name] ?? name;
  if (!compared.has(fact))
    throw new AppError(
      "invalid_input",
      `Changes of “${rule.name ?? ""}” are not looked at. Name one of: ${[...Object.keys(facts), "status", "title", "canonical", "robots"].join(", ")}.`,
    );
  return (of) => of === fact;
}

/** Whether a fact is written in a page's markup and no reader gets it. */
const isInMarkup = (fact: string) => fact === "canonical" || fact === "robots";

const compared = new Set(["status", "redirect", "content_type", "csp", "x_robots_tag", "title", "canonical", "robots"]);

function fileMatcher(rule: RuleSpec): (url: string) => boolean {
  const holds = wildcardSet([needed(rule, "pattern")]);
  return (url) => holds(url) !== -1;
}

const wanted = {
  selector: "a CSS selector (`selector`)",
  name: "a name (`name`)",
  pattern: "a pattern (`pattern`)",
  before: "the text before (`before`)",
  after: "the text behind (`after`)",
} as const;

function needed(rule: RuleSpec, field: keyof typeof wanted): string {
  const value = rule[field];
  // text fields may begin or end with significant white space
  if (value === null || value.trim() === "")
    throw new AppError("invalid_input", `A rule of kind ${rule.kind} needs ${wanted[field]}.`);
  return field === "selector" || field === "name" ? value.trim() : value;
}
