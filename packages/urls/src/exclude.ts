import { AppError } from "@web-tester/contracts/errors";
import { limits } from "@web-tester/contracts/limits";
import { spellAlike } from "./wildcard.js";
import { wildcardSet } from "./wildcard-set.js";

/**
 * Creates a test of whether an address is excluded: it returns the first pattern that matches, as it was written, or null.
 *
 * A pattern must cover the whole path (specification §5); `*` stands for any run of characters, including `/` and the empty run. It is compared with
 * - the path alone (`/private/*`),
 * - path and query if it contains a `?` (`/list?sort=*`), which itself stands only for `?`,
 * - the whole address if it starts with `http://` or `https://`.
 * A pattern that starts with none of `/`, `*`, `http(s)://` gets a `/` in front (`admin/*`), one that starts with `?` a `*`. Letters
 * compare case-sensitively, as paths do. Pattern and address are brought to the same percent-encoding first, so `/käse`, `/k%C3%A4se`
 * and `/k%c3%a4se` are one pattern, and so are `/a b` and `/a%20b`.
 *
 * Patterns are trimmed, empty ones dropped. All patterns are matched together, in time linear in the length of the address, except for
 * maliciously nested patterns.
 * @throws {AppError} invalid_input for more than 100 patterns or one of more than 256 characters
 */
export function createExcluder(patterns: readonly string[]): (url: URL) => string | null {
  const written = patterns.map((pattern) => pattern.trim()).filter((pattern) => pattern !== "");
  refuseTooMuch(written);
  const compiled = written.map((pattern, number) => ({ number, ...compile(pattern) }));
  const groups = [...Map.groupBy(compiled, ({ against }) => against)].map(([against, group]) => {
    const first = wildcardSet(group.map(({ text }) => text));
    return (url: URL) => group[first(spellAlike(subjectOf[against](url)))]?.number ?? written.length;
  });
  return (url) => written[Math.min(written.length, ...groups.map((first) => first(url)))] ?? null;
}

function refuseTooMuch(patterns: readonly string[]): void {
  if (patterns.length > limits.excludePatternsMax)
    throw new AppError(
      "invalid_input",
      `There are ${patterns.length} exclude patterns; at most ${limits.excludePatternsMax} are allowed. Join some with "*".`,
    );
  const long = patterns.find((pattern) => pattern.length > limits.excludePatternMaxChars);
  if (long !== undefined)
    throw new AppError(
      "invalid_input",
      `The exclude pattern "${long.slice(0, 40)}…" has ${long.length} characters; at most ${limits.excludePatternMaxChars} are allowed. Shorten it with "*".`,
    );
}

/** The part of an address that a pattern is compared with. */
const subjectOf = {
  path: (url: URL) => url.pathname,
  query: (url: URL) => url.pathname + url.search,
  address: (url: URL) => url.origin + url.pathname + url.search,
  place: (url: URL) => url.origin + url.pathname,
};

function compile(pattern: string): { against: keyof typeof subjectOf; text: string } {
  const isAddress = /^https?:\/\//i.test(pattern);
  const hasQuery = pattern.includes("?");
  const text = spellAlike(isAddress ? pattern : anchored(pattern));
  if (isAddress) return { against: hasQuery ? "address" : "place", text };
  return { against: hasQuery ? "query" : "path", text };
}

function anchored(pattern: string): string {
  if (pattern.startsWith("?")) return `*${pattern}`;
  return pattern.startsWith("/") || pattern.startsWith("*") ? pattern : `/${pattern}`;
}
