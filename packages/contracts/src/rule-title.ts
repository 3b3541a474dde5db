import { assertNever } from "./assert-never.js";
import type { RuleSpec } from "./entities/rule.js";

/** What a rule ignores, in words. */
export function titleOf(rule: RuleSpec): string {
  const quoted = (text: string | null) => `“${text ?? ""}”`;
  switch (rule.kind) {
    case "element":
      return `Element ${rule.selector ?? ""}`;
    case "attribute":
      return rule.parameter === null || rule.parameter === ""
        ? `Attribute ${rule.name ?? ""} of ${rule.selector ?? ""}`
        : `Parameter ${rule.parameter} in ${rule.name ?? ""} of ${rule.selector ?? ""}`;
    case "text":
      return rule.syntax === "re2" ? `Text that matches ${rule.pattern ?? ""}` : `Text ${quoted(rule.pattern)}`;
    case "between":
      return `Text between ${quoted(rule.before)} and ${quoted(rule.after)}`;
    case "keep":
      return `All but ${rule.selector ?? ""}`;
    case "order":
      return `Order inside ${rule.selector ?? ""}`;
    case "file":
      return `File ${rule.pattern ?? ""}`;
    case "header":
      return `Header ${rule.name ?? ""}`;
    default:
      return assertNever(rule.kind);
  }
}
