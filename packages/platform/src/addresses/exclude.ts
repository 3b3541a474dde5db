import { AppError } from "@web-tester/contracts/errors";
import { limits } from "@web-tester/contracts/limits";
import { spellAlike, wildcard } from "./wildcard.js";

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
      path: spellAlike(url.pathname),
      query: spellAlike(url.pathname + url.search),
      address: spellAlike(url.origin + url.pathname + url.search),
      place: spellAlike(url.origin + url.pathname),
    };
    return compiled.find(({ against, matches }) => matches(subjects[against]))?.pattern ?? null;
  };
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

type Subject = "path" | "query" | "address" | "place";

function compile(pattern: string): { against: Subject; matches: (text: string) => boolean } {
  const isAddress = /^https?:\/\//i.test(pattern);
  const hasQuery = pattern.includes("?");
  const matches = wildcard(isAddress ? spellAlike(pattern) : spellAlike(anchored(pattern)));
  if (isAddress) return { against: hasQuery ? "address" : "place", matches };
  return { against: hasQuery ? "query" : "path", matches };
}

function anchored(pattern: string): string {
  if (pattern.startsWith("?")) return `*${pattern}`;
  return pattern.startsWith("/") || pattern.startsWith("*") ? pattern : `/${pattern}`;
}
