import { isLetter } from "./character-codes.js";

/** For each length of name, the first and last letters (as bits) of the names that matter where nothing special is open. */
const firstLetters = new Int32Array(16);
const lastLetters = new Int32Array(16);
for (const name of "a area base iframe link math meta noembed noframes noscript plaintext script select style svg table template textarea title xmp".split(
  " ",
)) {
  firstLetters[name.length] = (firstLetters[name.length] ?? 0) | (1 << (name.charCodeAt(0) & 31));
  lastLetters[name.length] = (lastLetters[name.length] ?? 0) | (1 << (name.charCodeAt(name.length - 1) & 31));
}

/**
 * Whether the tag name between two positions may be one that links, holds text only or changes what is open; also true for
 * some others. Nearly all tags of a page are excluded by this alone.
 */
export function matters(codes: Uint16Array, start: number, end: number): boolean {
  const length = end - start;
  return (
    ((firstLetters[length] ?? 0) & (1 << ((codes[start] ?? 0) & 31))) !== 0 &&
    ((lastLetters[length] ?? 0) & (1 << ((codes[end - 1] ?? 0) & 31))) !== 0
  );
}

/** Returns the name in lower case; empty where it has characters beyond ASCII, which no name that matters has. */
export function tagName(text: string, codes: Uint16Array, start: number, end: number): string {
  let key = end - start > 6 ? -1 : 0;
  for (let at = start; at < end && key !== -1; at += 1) {
    const code = codes[at] ?? 0;
    key = isLetter(code) ? (key << 5) | (code & 31) : -1;
  }
  const known = key === -1 ? undefined : shortNames.get(key);
  if (known !== undefined) return known;
  const written = text.slice(start, end);
  const long = longNames.get(written);
  if (long !== undefined) return long;
  const name = /^[!-~]+$/.test(written) ? written.toLowerCase() : "";
  if (key === -1 && written.length < 20 && longNames.size < 1000) longNames.set(written, name);
  // bounded: a hostile page may name a million elements
  if (key !== -1 && shortNames.size < 1000) shortNames.set(key, name);
  return name;
}

/** Names of up to six letters, keyed by five bits per letter: one string per name, made once. */
const shortNames = new Map<number, string>();
/** Other names by their spelling. */
const longNames = new Map<string, string>();
