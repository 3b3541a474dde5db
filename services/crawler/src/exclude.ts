import { AppError } from "@web-tester/contracts/errors";
import { limits } from "@web-tester/contracts/limits";
import { normalisePercent } from "./canonical-url.js";

/**
 * A test of whether an address is excluded: it answers with the first pattern that matches, as it was written, or null.
 *
 * A pattern must cover the whole path (SPEC §5); `*` stands for any run of characters, `/` and none included. It meets
 * - the path alone (`/private/*`),
 * - path and query where it contains a `?` (`/list?sort=*`), which itself stands only for `?`,
 * - the whole address where it starts with `http://` or `https://`.
 * A pattern that starts with none of `/`, `*`, `http(s)://` gets a `/` in front (`admin/*`), one that starts with `?` a `*`.
 * Letters compare case-sensitively, as paths do. Pattern and address are brought to the same percent-encoding first, so
 * `/käse`, `/k%C3%A4se` and `/k%c3%a4se` are one pattern, and so are `/a b` and `/a%20b`.
 *
 * Patterns are trimmed, empty ones dropped. One match costs time linear in address plus pattern, whatever the pattern.
 * @throws {AppError} invalid_input for more than 100 patterns or one of more than 256 characters
 */
export function createExcluder(patterns: readonly string[]): (url: URL) => string | null {
  const written = patterns.map((pattern) => pattern.trim()).filter((pattern) => pattern !== "");
  refuseTooMuch(written);
  const compiled = written.map((pattern) => ({ pattern, ...compile(pattern) }));
  return (url) => {
    const subjects = {
      path: encode(url.pathname),
      query: encode(url.pathname + url.search),
      address: encode(url.origin + url.pathname + url.search),
      place: encode(url.origin + url.pathname),
    };
    return compiled.find(({ against, matches }) => matches(subjects[against]))?.pattern ?? null;
  };
}

function refuseTooMuch(patterns: readonly string[]): void {
  if (patterns.length > limits.excludePatternsMax)
    throw new AppError("invalid_input", `There are ${patterns.length} exclude patterns; at most ${limits.excludePatternsMax} are allowed. Join some with "*".`);
  const long = patterns.find((pattern) => pattern.length > limits.excludePatternMaxChars);
  if (long !== undefined)
    throw new AppError("invalid_input", `The exclude pattern "${long.slice(0, 40)}…" has ${long.length} characters; at most ${limits.excludePatternMaxChars} are allowed. Shorten it with "*".`);
}

type Subject = "path" | "query" | "address" | "place";

function compile(pattern: string): { against: Subject; matches: (text: string) => boolean } {
  const isAddress = /^https?:\/\//i.test(pattern);
  const hasQuery = pattern.includes("?");
  const matches = wildcard(isAddress ? encode(pattern) : encode(anchored(pattern)));
  if (isAddress) return { against: hasQuery ? "address" : "place", matches };
  return { against: hasQuery ? "query" : "path", matches };
}

function anchored(pattern: string): string {
  if (pattern.startsWith("?")) return `*${pattern}`;
  return pattern.startsWith("/") || pattern.startsWith("*") ? pattern : `/${pattern}`;
}

/** One spelling for pattern and address: what the URL parser encodes in a path or in a query is encoded in both; `*` and `?` stay. */
function encode(text: string): string {
  return normalisePercent(text.replace(/[^\u0021-\u007e]|["'<>^`{|}]/gu, percentEncode));
}

function percentEncode(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("");
}

/** Whole-text match of a pattern with `*` wildcards: first and last piece are anchored, the others are found leftmost, which is exact. */
function wildcard(pattern: string): (text: string) => boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  const finders = rest.filter((piece) => piece !== "").map(finder);
  return (text) => {
    if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let position = first.length;
    for (const find of finders) {
      position = find(text, position);
      if (position === -1) return false;
    }
    return position <= text.length - last.length;
  };
}

/** Where the piece first ends in the text at or after a position, or -1; Knuth–Morris–Pratt, because `indexOf` may take length × length. */
function finder(piece: string): (text: string, from: number) => number {
  const fallback = fallbackTable(piece);
  return (text, from) => {
    let matched = 0;
    for (let index = from; index < text.length; index += 1) {
      matched = extend(piece, fallback, matched, text[index]);
      if (matched === piece.length) return index + 1;
    }
    return -1;
  };
}

function fallbackTable(piece: string): Int32Array {
  const table = new Int32Array(piece.length);
  let matched = 0;
  for (let index = 1; index < piece.length; index += 1) {
    matched = extend(piece, table, matched, piece[index]);
    table[index] = matched;
  }
  return table;
}

function extend(piece: string, fallback: Int32Array, matched: number, character: string | undefined): number {
  let length = matched;
  while (length > 0 && piece[length] !== character) length = fallback[length - 1] ?? 0;
  return piece[length] === character ? length + 1 : 0;
}
