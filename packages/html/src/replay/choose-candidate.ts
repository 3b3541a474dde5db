import { type Candidate, candidatesOf } from "../links/srcset.js";
import { readLength, type ShownWindow } from "./css-length.js";
import { matchesCondition, splitOutside } from "./media-query.js";

/** The candidates that a picture may be chosen from. */
export interface Candidates {
  srcset: string;
  sizes: string | undefined;
  /** Whether there is a `src` too, which then counts as one more candidate of density 1. */
  hasSrc: boolean;
}

/**
 * Returns the candidate of a `srcset` that Chromium takes in a window (WHATWG HTML §4.8.4.3.7 leaves the choice to browsers).
 * @param has whether there is a stored copy of an address
 * @returns "src" where `src` is taken instead; null where the choice depends on unknown sizes
 */
export function chooseCandidate(
  { srcset, sizes, hasSrc }: Candidates,
  window: ShownWindow,
  has: (url: string) => boolean,
): Candidate | "src" | null {
  const all = candidatesOf(srcset);
  const isByWidth = all.some(({ descriptors }) => /(?:^|\s)\d+w(?:\s|$)/.test(descriptors));
  const size = isByWidth ? sourceSize(sizes ?? "100vw", window) : 1;
  if (size === null || size <= 0) return null;
  const known: { density: number; candidate: Candidate | "src" }[] = [];
  for (const candidate of all) {
    const density = densityOf(candidate.descriptors, size);
    if (density === null) return null;
    if (has(candidate.url)) known.push({ density, candidate });
  }
  if (hasSrc && !isByWidth) known.push({ density: 1, candidate: "src" });
  const byDensity = known.toSorted((one, other) => one.density - other.density);
  const distinct = byDensity.filter(({ density }, index) => density !== byDensity[index - 1]?.density);
  return pick(distinct, window.scale)?.candidate ?? null;
}

/** Picks by density as Blink does: above the geometric mean of two, the denser one. */
function pick<Known extends { density: number }>(known: readonly Known[], scale: number): Known | undefined {
  for (const [index, { density }] of known.entries()) {
    const next = known[index + 1];
    if (next === undefined) break;
    if (next.density < scale) continue;
    const isDenser = (scale <= 1 && scale > density) || scale >= Math.sqrt(density * next.density);
    return isDenser ? next : known[index];
  }
  return known.at(-1);
}

/** @returns null for invalid descriptors */
function densityOf(descriptors: string, size: number): number | null {
  if (descriptors === "") return 1;
  const match = /^(\d+(?:\.\d+)?)(x|w)(?:\s+\d+h)?$/.exec(descriptors);
  if (match === null) return null;
  return match[2] === "w" ? Number(match[1]) / size : Number(match[1]);
}

/** Returns the first size whose condition holds, in CSS pixels (WHATWG HTML §4.8.4.2.3). */
function sourceSize(sizes: string, window: ShownWindow): number | null {
  for (const entry of splitOutside(sizes, ",")) {
    const [condition, length] = splitEntry(entry.trim());
    if (length === null) return null;
    const isMet = condition === "" ? true : matchesCondition(condition, window);
    if (isMet === null) return null;
    if (isMet) return readLength(length, window);
  }
  return window.width;
}

/** Splits an entry into its condition and its length, which is its last word or function. */
function splitEntry(entry: string): [condition: string, length: string | null] {
  let at = entry.length - 1;
  let depth = 0;
  for (; at >= 0; at -= 1) {
    const sign = entry[at];
    if (sign === ")") depth += 1;
    else if (sign === "(") depth -= 1;
    else if (depth === 0 && /\s/.test(sign ?? "")) break;
  }
  const length = entry.slice(at + 1);
  return depth !== 0 || length === "" ? ["", null] : [entry.slice(0, at + 1).trim(), length];
}
