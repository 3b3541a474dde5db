import { type LineState, stateAfter } from "./html-tokens.js";

/** Computes lazily in which state each line of a document begins, so that opening a page of 5 MB costs nothing. */
export class LineStates {
  private readonly states: LineState[] = ["text"];
  private readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  /** The state that line `index` (from 0) begins in. */
  at(index: number): LineState {
    for (let known = this.states.length - 1; known < index; known += 1)
      this.states.push(stateAfter(this.lines[known] ?? "", this.states[known] ?? "text"));
    return this.states[index] ?? "text";
  }
}

/**
 * Splits a text into lines in the way that comparisons, patches and the search count them: a "\n", with or without a "\r" before it,
 * ends a line; a "\r" alone does not. A last empty line does not count.
 */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
