import type { RuleSpec } from "./entities/rule.js";

/**
 * Whether a rule hides any words in its place, even an edit, because it says only where and not what. A rule with a pattern for the value,
 * or with a list of texts, does not hide other sentences.
 */
export function hidesAnyWords({ kind, pattern, syntax }: RuleSpec): boolean {
  switch (kind) {
    case "element":
    case "attribute":
      return pattern === null || pattern.trim() === "" || hasAny(pattern, syntax);
    case "text":
      return pattern === null || hasAny(pattern, syntax);
    case "between":
    case "keep":
      return true;
    case "order":
    case "file":
    case "header":
    case "markup":
      return false;
  }
}

/** Whether a pattern matches any words, by `.*`, `[^<>]{0,300}` and the like; if an expression has groups, only these count. */
function hasAny(pattern: string, syntax: RuleSpec["syntax"]): boolean {
  if (syntax === "literal") return pattern.includes("*");
  const groups = groupsIn(pattern);
  return (groups.length === 0 ? [pattern] : groups).some((part) => anyWords.test(part));
}

const anyWords = /(?<!\\)(?:\.|\[\^(?:\\.|[^\]\\])+\]|\\[SDW])(?:[*+]|\{\d+,(?:\d{2,})?\})/;

/** Returns the contents of the outermost capturing groups of an expression. */
function groupsIn(pattern: string): string[] {
  const found: string[] = [];
  const open: { from: number; isGroup: boolean }[] = [];
  let isInClass = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at];
    if (character === "\\") at += 1;
    else if (isInClass) isInClass = character !== "]";
    else if (character === "[") isInClass = true;
    else if (character === "(") open.push({ from: at + 1, isGroup: pattern[at + 1] !== "?" });
    else if (character === ")") {
      const group = open.pop();
      if (group?.isGroup === true && !open.some(({ isGroup }) => isGroup)) found.push(pattern.slice(group.from, at));
    }
  }
  return found;
}
