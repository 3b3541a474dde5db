import { RE2JS } from "re2js";
import { CpuLimit } from "./cpu-limit.js";
import { NotApplied } from "./not-applied.js";
import { readExpression } from "./text-pattern.js";

/** What is longer is no value that a pattern would be written for. */
const valueMaxChars = 20_000;
/** CPU time that one pattern may take for the values of one page. */
const patternMs = 1_000;

/**
 * Whether all of a value is like a pattern: RE2's syntax, or literal with `*` for anything. White space at its ends does not count.
 * @returns begins a page: asks for each of its values, and throws NotApplied where that takes too long
 * @throws AppError invalid_input in words for who wrote it
 */
export function wholePattern(pattern: string, syntax: "literal" | "re2"): () => (value: string) => boolean {
  const literal = pattern.split(/\*+/).map((piece) => RE2JS.quote(piece));
  const expression = readExpression(syntax === "re2" ? pattern : `(?s:${literal.join(".*")})`);
  return () => {
    const limit = new CpuLimit(patternMs);
    return (value) => {
      if (value.length > valueMaxChars) return false;
      if (limit.isSpent) throw new NotApplied("the pattern takes too long on this page");
      return expression.matches(value.trim());
    };
  };
}
