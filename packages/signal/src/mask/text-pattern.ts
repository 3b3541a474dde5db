import { AppError } from "@web-tester/contracts/errors";
import { RE2JS } from "re2js";
import { CpuLimit } from "./cpu-limit.js";
import { NotApplied } from "./not-applied.js";
import type { Range } from "./page.js";

/** Finds the parts of a text that match, in order and without overlap. @throws NotApplied where that takes too long */
export type FindText = (text: string) => Range[];

/** The most characters that a `*` stands for: a few words of one text or attribute. */
const starMaxChars = 300;
/** The most places at which one pattern may be tried on one page. */
const triesMax = 2_000_000;
const matchesMax = 200_000;

/** Returns a search for a literal text in which `*` stands for up to 300 characters, none of them a line end, `<` or `>`. */
export function literalPattern(pattern: string): FindText {
  const pieces = pattern.split(/\*+/);
  const [first = "", ...others] = pieces;
  if (pieces.every((piece) => piece === ""))
    throw new AppError("invalid_input", "A text rule needs some text beside its *.");
  if (first === "") return startless(others);
  return (text) => {
    const found: Range[] = [];
    let tries = 0;
    for (let at = text.indexOf(first); at !== -1;) {
      if ((tries += others.length + 1) > triesMax) throw new NotApplied("the text is looked for in too many places");
      const end = restAt(text, at + first.length, others);
      if (end !== -1) found.push([at, end]);
      at = text.indexOf(first, end === -1 ? at + 1 : Math.max(end, at + 1));
    }
    return found;
  };
}

/**
 * Returns the end of a match of the pieces after the first one, each after a star; -1 where there is none. A star at the
 * end of the pattern takes as much as it can.
 */
function restAt(text: string, from: number, pieces: readonly string[]): number {
  let at = from;
  for (const [index, piece] of pieces.entries()) {
    const limit = endOfStar(text, at);
    if (piece === "") return index === pieces.length - 1 ? limit : at;
    const next = text.slice(at, limit + piece.length).indexOf(piece);
    if (next === -1) return -1;
    at += next + piece.length;
  }
  return at;
}

function endOfStar(text: string, from: number): number {
  const max = Math.min(text.length, from + starMaxChars);
  for (let at = from; at < max; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x0d || code === 0x3c || code === 0x3e) return at;
  }
  return max;
}

/**
 * Returns a search for a pattern that begins with a star: a match includes what comes before the first piece, as far as a
 * star goes.
 */
function startless([first = "", ...others]: readonly string[]): FindText {
  return (text) => {
    const found: Range[] = [];
    let last = 0;
    let tries = 0;
    for (let at = text.indexOf(first); at !== -1;) {
      if ((tries += others.length + 1) > triesMax) throw new NotApplied("the text is looked for in too many places");
      const end = restAt(text, at + first.length, others);
      if (end !== -1) {
        let from = at;
        while (from > last && at - from < starMaxChars && !/[\r\n<>]/.test(text.charAt(from - 1))) from -= 1;
        found.push([from, end]);
        last = end;
      }
      at = text.indexOf(first, end === -1 ? at + 1 : Math.max(end, at + 1));
    }
    return found;
  };
}

/** The CPU time that one expression may take on one page. */
const expressionMs = 1_000;

/**
 * Returns a search for a regular expression in RE2's syntax: what its groups match, or the whole match where it has none.
 * Time is linear in the text, whatever it is. @throws AppError invalid_input with a message for the author
 */
export function expressionPattern(pattern: string): FindText {
  const expression = compileExpression(pattern);
  return (text) => {
    const found: Range[] = [];
    const matcher = expression.matcher(text);
    const limit = new CpuLimit(expressionMs);
    // where there are groups, only they are ignored: the text after them is searched again, as it may also come before the
    // next ones
    const groups = expression.groupCount();
    for (let at = 0; at <= text.length && matcher.find(at);) {
      at = Math.max(matcher.end(groups === 0 ? 0 : lastGroup(matcher, groups)), at + 1);
      for (let group = Math.min(1, groups); group <= groups; group += 1) {
        const [from, to] = [matcher.start(group), matcher.end(group)];
        // an empty group is a place too: a value that is missing this time
        if (from !== -1) found.push([from, to]);
      }
      if (found.length > matchesMax || limit.isSpent)
        throw new NotApplied("the expression takes too long on this page");
    }
    return found;
  };
}

/** Returns the last group that took part in the match, 0 where none did. */
function lastGroup(matcher: ReturnType<RE2JS["matcher"]>, groups: number): number {
  for (let group = groups; group > 0; group -= 1) if (matcher.start(group) !== -1) return group;
  return 0;
}

/** Whether an expression marks the value by groups. */
export function hasGroups(pattern: string): boolean {
  return compileExpression(pattern).groupCount() > 0;
}

/** @throws AppError invalid_input with a message for the author */
export function readExpression(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new AppError("invalid_input", `“${pattern}” is not an expression in RE2's syntax: ${reason}`);
  }
}

function compileExpression(pattern: string): RE2JS {
  const expression = readExpression(pattern);
  if (expression.matches(""))
    throw new AppError("invalid_input", `“${pattern}” matches nothing at all, too. Make it match some text.`);
  return expression;
}

/** Returns a search for the text between two literal texts, without these. */
export function betweenPattern(before: string, after: string): FindText {
  return (text) => {
    const found: Range[] = [];
    for (let at = text.indexOf(before); at !== -1;) {
      const from = at + before.length;
      const to = text.indexOf(after, from);
      if (to === -1) break;
      if (to > from) found.push([from, to]);
      at = text.indexOf(before, to + after.length);
    }
    return found;
  };
}
