import { RE2JS } from "re2js";
import { CpuLimit } from "./cpu-limit.js";
import { NotApplied } from "./not-applied.js";
import { readExpression } from "./text-pattern.js";

/** The longest value that is matched: nobody writes a pattern for longer ones. */
const valueMaxChars = 20_000;
/** The CPU time that one pattern may take for the values of one page. */
const patternMs = 1_000;

/**
 * Returns a test of whether a whole value matches a pattern: in RE2's syntax, or literal with `*` for anything. White
 * space at its ends is ignored.
 * @returns a function that begins a page and returns the test for its values, which throws NotApplied where it takes too long
 * @throws AppError invalid_input with a message for the author
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
