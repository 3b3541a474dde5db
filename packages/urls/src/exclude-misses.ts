import { createExcluder } from "./exclude.js";

/** Why an exclude pattern matches none of the known addresses, and a variant that would match some. */
export interface ExcludeMiss {
  pattern: string;
  /**
   * `end`: it does not reach to the end of the path; `beginning`: paths begin differently; `middle`: both; `query`: with a `?` the query is
   * compared too, and does not match; `case`: upper and lower case differ; `nothing`: no address is similar.
   */
  why: "end" | "beginning" | "middle" | "query" | "case" | "nothing";
  /** A pattern that matches some addresses; null if none was found. */
  instead: string | null;
  /** The number of addresses that it would match. */
  count: number;
}

/** The most patterns that are explained. */
const patternsMax = 5;
/** The most addresses that each pattern is tried on. */
export const excludeMissUrlsMax = 5_000;

/** Explains why patterns match nothing. @param patterns patterns that match no address @param urls known addresses; of very many only the first are tried */
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
  // the variant may be longer than a pattern may be
  if (pattern.length > 256) return 0;
  const excluder = createExcluder([pattern]);
  return urls.filter((url) => excluder(url) !== null).length;
}

function otherWays(pattern: string): { why: ExcludeMiss["why"]; instead: string }[] {
  const hasQuery = pattern.includes("?");
  const bare = pattern.replace(/^\/(?=.)/, "");
  return [
    { why: "end", instead: `${pattern}*` },
    // the pattern has a query, but should name only the path
    ...(hasQuery ? [{ why: "query" as const, instead: pattern.replace(/\?.*$/s, "*") }] : []),
    { why: "beginning", instead: `*${pattern}` },
    { why: "middle", instead: `*${bare}*` },
    ...(hasQuery ? [] : [{ why: "query" as const, instead: `*?*${bare}*` }]),
  ];
}
