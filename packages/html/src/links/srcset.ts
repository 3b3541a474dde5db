import { isSpace } from "../tokenizer/character-codes.js";

const comma = 0x2c;

/**
 * Replaces the addresses of a `srcset` (WHATWG HTML §4.8.4.2.2); a candidate whose replacement is null is dropped.
 * @param only the only candidate to keep; null keeps all
 * @returns empty where no candidate is left
 */
export function mapSrcset(srcset: string, map: (url: string) => string | null, only: Candidate | null = null): string {
  const kept: string[] = [];
  for (const { url, descriptors } of only === null ? candidatesOf(srcset) : [only]) {
    const replacement = map(url);
    if (replacement !== null) kept.push(descriptors === "" ? replacement : `${replacement} ${descriptors}`);
  }
  return kept.join(", ");
}

export interface Candidate {
  url: string;
  /** For example `2x` or `480w`; empty stands for `1x`. */
  descriptors: string;
}

export function candidatesOf(srcset: string): Candidate[] {
  const { length } = srcset;
  const candidates: Candidate[] = [];
  for (let at = 0; ;) {
    while (at < length && (isSpace(srcset.charCodeAt(at)) || srcset.charCodeAt(at) === comma)) at += 1;
    if (at >= length) return candidates;
    const start = at;
    while (at < length && !isSpace(srcset.charCodeAt(at))) at += 1;
    let end = at;
    while (end > start && srcset.charCodeAt(end - 1) === comma) end -= 1;
    const url = srcset.slice(start, end);
    if (end < at) {
      candidates.push({ url, descriptors: "" });
      continue;
    }
    const from = at;
    at = endOfDescriptors(srcset, at);
    candidates.push({ url, descriptors: srcset.slice(from, at).trim() });
  }
}

/** Returns the index of the comma that ends a candidate; commas in parentheses do not count. */
function endOfDescriptors(srcset: string, from: number): number {
  let depth = 0;
  for (let at = from; at < srcset.length; at += 1) {
    const next = srcset.charCodeAt(at);
    if (next === 0x28) depth += 1;
    else if (next === 0x29) depth = Math.max(0, depth - 1);
    else if (next === comma && depth === 0) return at;
  }
  return srcset.length;
}
