import { assertNever } from "@web-tester/contracts/assert-never";
import type { RuleSpec } from "@web-tester/contracts/entities/rule";
import { hasPattern, shortPattern } from "@web-tester/contracts/rule-title";
import { t } from "../../texts/text.js";

/** Says what a rule ignores, in the reader's language; in English the same as the contract's titles, which notes are made of. */
export function ruleWords(rule: RuleSpec): string {
  const [selector, name, pattern] = [rule.selector ?? "", rule.name ?? "", shortPattern(rule.pattern ?? "")];
  return hasPattern(rule)
    ? t("{rule}, where it is like {pattern}", { rule: words(rule, selector, name, pattern), pattern })
    : words(rule, selector, name, pattern);
}

function words(rule: RuleSpec, selector: string, name: string, pattern: string): string {
  switch (rule.kind) {
    case "element":
      return t("Element {selector}", { selector });
    case "attribute":
      return rule.parameter === null || rule.parameter === ""
        ? t("Attribute {name} of {selector}", { name, selector })
        : t("Parameter {parameter} in {name} of {selector}", { parameter: rule.parameter, name, selector });
    case "text":
      return rule.syntax === "re2" ? t("Text that matches {pattern}", { pattern }) : t("Text “{pattern}”", { pattern });
    case "between":
      return t("Text between “{before}” and “{after}”", { before: rule.before ?? "", after: rule.after ?? "" });
    case "keep":
      return t("Everything except {selector}", { selector });
    case "order":
      return t("Order inside {selector}", { selector });
    case "file":
      return t("File {pattern}", { pattern });
    case "header":
      return t("Header {name}", { name });
    case "markup":
      return t("Markup: only text and links count");
    default:
      return assertNever(rule.kind);
  }
}
