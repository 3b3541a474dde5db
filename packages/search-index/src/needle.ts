import { foldBytes } from "./fold-case.js";
import { rowsOf } from "./grams.js";

/** A phrase in the form in which sections are searched for it. */
export interface Needle {
  bytes: Uint8Array;
  /** Whether it may cross the end of a chunk, so that documents must be put together to find it. */
  straddles: boolean;
  /** The filter rows that every frame with (the longest part of) the phrase has set. */
  rows: number[];
}

const lineFeed = 0x0a;
const less = 0x3c;
const greater = 0x3e;

/** @param phrase not empty, well-formed */
export function makeNeedle(phrase: string): Needle {
  const bytes = foldBytes(Buffer.from(phrase, "utf8"));
  const parts: Uint8Array[] = [];
  let from = 0;
  for (let at = 1; at < bytes.length; at += 1) {
    const before = bytes[at - 1];
    if (before === lineFeed || (before === greater && bytes[at] === less)) {
      parts.push(bytes.subarray(from, at));
      from = at;
    }
  }
  parts.push(bytes.subarray(from));
  const [longest = bytes] = parts.toSorted((one, other) => other.length - one.length);
  return { bytes, straddles: parts.length > 1, rows: rowsOf(longest) };
}
