import { limits } from "@web-tester/contracts/limits";
import type { ConsoleLine } from "./console-line.js";

/** What is kept: the newest lines, oldest first, each once. */
export type Lines = readonly ConsoleLine[];

const newest = (lines: Lines): Lines =>
  lines.length > limits.consoleLinesKept ? lines.slice(-limits.consoleLinesKept) : lines;

/** Adds live lines at the end; one that is there already stays where it is. Same list where nothing is new. */
export function appendLines(lines: Lines, come: Lines): { lines: Lines; added: number } {
  const known = new Set(lines.map(({ id }) => id));
  const fresh = come.filter(({ id }) => !known.has(id) && known.add(id));
  return { lines: fresh.length === 0 ? lines : newest([...lines, ...fresh]), added: fresh.length };
}

/**
 * Joins a history with what is there, after a break in the connection: the history's order counts, because the server
 * keeps all lines in one order; what it does not have any more is older and goes before it.
 */
export function mergeHistory(lines: Lines, history: Lines): { lines: Lines; added: number } {
  const held = new Map(lines.map((line) => [line.id, line]));
  const told = new Map(history.map((line) => [line.id, held.get(line.id) ?? line]));
  const added = [...told.keys()].filter((id) => !held.has(id)).length;
  return { lines: newest([...lines.filter(({ id }) => !told.has(id)), ...told.values()]), added };
}
