import { RE2JS } from "re2js";
import { NotApplied } from "./not-applied.js";
import { readExpression } from "./text-pattern.js";

/** What is longer is no value that a pattern would be written for. */
const valueMaxChars = 20_000;
/** CPU time that one pattern may take for the values that follow one another without a pause. */
const patternMs = 1_000;
const pauseMs = 50;

/**
 * Whether all of a value is like a pattern: RE2's syntax, or literal with `*` for anything. White space at its ends does not count.
 * @throws AppError invalid_input in words for who wrote it
 */
export function wholePattern(pattern: string, syntax: "literal" | "re2"): (value: string) => boolean {
  const literal = pattern.split(/\*+/).map((piece) => RE2JS.quote(piece));
  const expression = readExpression(syntax === "re2" ? pattern : `(?s:${literal.join(".*")})`);
  let [spent, last] = [0, 0];
  return (value) => {
    if (value.length > valueMaxChars) return false;
    const began = performance.now();
    if (began - last > pauseMs) spent = 0;
    const isLike = expression.matches(value.trim());
    last = performance.now();
    spent += last - began;
    if (spent > patternMs) {
      spent = 0;
      throw new NotApplied("the pattern takes too long on this page");
    }
    return isLike;
  };
}
