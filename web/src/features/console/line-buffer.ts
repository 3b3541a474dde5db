import { limits } from "@web-tester/contracts/limits";
import type { ConsoleLine } from "./console-line.js";

/** The lines that are kept: the newest ones, oldest first, each once. */
export type Lines = readonly ConsoleLine[];

const newest = (lines: Lines): Lines =>
  lines.length > limits.consoleLinesKept ? lines.slice(-limits.consoleLinesKept) : lines;

/** Appends live lines; lines that are there already stay where they are. Returns the same list where nothing is new. */
export function appendLines(lines: Lines, come: Lines): { lines: Lines; added: number } {
  const known = new Set(lines.map(({ id }) => id));
  const fresh = come.filter(({ id }) => !known.has(id) && known.add(id));
  return { lines: fresh.length === 0 ? lines : newest([...lines, ...fresh]), added: fresh.length };
}

/**
 * Merges a history with the present lines after a break in the connection. The history's order counts, because the server keeps all
 * lines in one order; lines that it does not have any more are older and come first.
 */
export function mergeHistory(lines: Lines, history: Lines): { lines: Lines; added: number } {
  const held = new Map(lines.map((line) => [line.id, line]));
  const told = new Map(history.map((line) => [line.id, held.get(line.id) ?? line]));
  const added = [...told.keys()].filter((id) => !held.has(id)).length;
  return { lines: newest([...lines.filter(({ id }) => !told.has(id)), ...told.values()]), added };
}
