import { assertNever } from "./assert-never.js";
import type { RuleSpec } from "./entities/rule.js";

/** Returns what a rule ignores, in words. */
export function titleOf(rule: RuleSpec): string {
  const quoted = (text: string | null) => `“${text ?? ""}”`;
  const like = hasPattern(rule) ? `, where it is like ${shortPattern(rule.pattern ?? "")}` : "";
  switch (rule.kind) {
    case "element":
      return `Element ${rule.selector ?? ""}${like}`;
    case "attribute":
      return rule.parameter === null || rule.parameter === ""
        ? `Attribute ${rule.name ?? ""} of ${rule.selector ?? ""}${like}`
        : `Parameter ${rule.parameter} in ${rule.name ?? ""} of ${rule.selector ?? ""}${like}`;
    case "text":
      return rule.syntax === "re2"
        ? `Text that matches ${shortPattern(rule.pattern ?? "")}`
        : `Text ${quoted(rule.pattern)}`;
    case "between":
      return `Text between ${quoted(rule.before)} and ${quoted(rule.after)}`;
    case "keep":
      return `Everything except ${rule.selector ?? ""}`;
    case "order":
      return `Order inside ${rule.selector ?? ""}`;
    case "file":
      return `File ${rule.pattern ?? ""}`;
    case "header":
      return `Header ${rule.name ?? ""}`;
    case "markup":
      return "Markup: only text and links count";
    default:
      return assertNever(rule.kind);
  }
}

/** Whether a rule about elements or an attribute restricts the value by a pattern. */
export const hasPattern = ({ kind, pattern }: RuleSpec): boolean =>
  (kind === "element" || kind === "attribute") && pattern !== null && pattern.trim() !== "";

const shownChars = 160;

/** Shortens a pattern for display: a long list of texts is recognised by its beginning. */
export const shortPattern = (pattern: string): string =>
  pattern.length > shownChars ? `${pattern.slice(0, shownChars)}…` : pattern;
