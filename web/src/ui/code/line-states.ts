import { type LineState, stateAfter } from "./html-tokens.js";

/** How each line of a document begins, found as far as somebody has looked: opening a page of 5 MB costs nothing. */
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
 * Lines of a text, counted as comparisons, patches and the search count them: a "\n" ends a line, with a "\r" before it; a "\r" alone does
 * not. A last empty one is none.
 */
export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}
