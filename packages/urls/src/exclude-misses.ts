import { createExcluder } from "./exclude.js";

/** Why an exclude pattern meets none of the known addresses, and a way of writing it that would meet some. */
export interface ExcludeMiss {
  pattern: string;
  /**
   * `end`: it has to reach to the end of the path; `beginning`: paths begin otherwise; `middle`: both; `query`: a `?` includes the query, which
   * it does not meet; `case`: letters are compared as they are written; `nothing`: no address is like it.
   */
  why: "end" | "beginning" | "middle" | "query" | "case" | "nothing";
  /** A pattern that meets some; null where none was found. */
  instead: string | null;
  /** How many it would meet. */
  count: number;
}

/** Patterns that are looked into. */
const patternsMax = 5;
/** Addresses that each pattern is tried on. */
export const excludeMissUrlsMax = 5_000;

/** @param patterns those that meet no address. @param urls known addresses; of very many the first ones are looked at */
export function explainMisses(patterns: readonly string[], urls: readonly URL[]): ExcludeMiss[] {
  const some = urls.slice(0, excludeMissUrlsMax);
  return patterns.slice(0, patternsMax).map((pattern) => explainMiss(pattern, some));
}

function explainMiss(pattern: string, urls: readonly URL[]): ExcludeMiss {
  for (const { why, instead } of otherWays(pattern)) {
    const count = countMet(instead, urls);
    if (count > 0) return { pattern, why, instead, count };
  }
  const lower = urls.map((url) => new URL(url.href.toLowerCase()));
  const count = countMet(pattern.toLowerCase(), lower);
  return count > 0
    ? { pattern, why: "case", instead: null, count }
    : { pattern, why: "nothing", instead: null, count: 0 };
}

function countMet(pattern: string, urls: readonly URL[]): number {
  // a pattern may have become too long for one
  if (pattern.length > 256) return 0;
  const excluder = createExcluder([pattern]);
  return urls.filter((url) => excluder(url) !== null).length;
}

function otherWays(pattern: string): { why: ExcludeMiss["why"]; instead: string }[] {
  const hasQuery = pattern.includes("?");
  const bare = pattern.replace(/^\/(?=.)/, "");
  return [
    { why: "end", instead: `${pattern}*` },
    // with a query, where the pattern names only the path
    ...(hasQuery ? [{ why: "query" as const, instead: pattern.replace(/\?.*$/s, "*") }] : []),
    { why: "beginning", instead: `*${pattern}` },
    { why: "middle", instead: `*${bare}*` },
    ...(hasQuery ? [] : [{ why: "query" as const, instead: `*?*${bare}*` }]),
  ];
}
