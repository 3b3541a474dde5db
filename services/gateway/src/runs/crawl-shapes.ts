import type { Queryable } from "@web-tester/platform/database/database";

/** A group of a crawl's addresses that differ in one place only. */
export interface CrawlShape {
  /** An exclude pattern that matches them. */
  pattern: string;
  /** The place where they differ, for people: `?title=Special:…`, `/calendar/…/…`. */
  differs_in: string;
  count: number;
  samples: string[];
}

/** Groups smaller than this, or than the share below, are not worth reporting. */
const leastAlike = 100;
const leastShare = 0.3;

/*
 * SQL: the key that addresses are grouped by. Numbers in the path count as equal. Of the query only the beginning counts: the first
 * parameter's name, and what stands before the first colon or slash of its value (`title=Special:`).
 */
const shape = String.raw`regexp_replace(split_part(url, '?', 1), '[0-9]+', '0', 'g')
  || coalesce(substring(url FROM '\?[^=&]*=?(?:[^&:/=]*(?::|%3A|/))?'), '')`;
const select = `
  SELECT count(*)::int AS count, min(url) AS first, max(url) AS last, (SELECT count(*)::int FROM crawl_page WHERE run_id = $1 AND kind = 'page') AS total
  FROM crawl_page WHERE run_id = $1 AND kind = 'page' AND (outcome IS NULL OR outcome <> 'excluded')
  GROUP BY ${shape} HAVING count(*) >= $2 ORDER BY 1 DESC LIMIT 5`;

/** Finds the largest groups of similar addresses in a crawl, the largest first. `total`: addresses that the crawl knows. */
export async function crawlShapes(db: Queryable, runId: string): Promise<{ total: number; items: CrawlShape[] }> {
  const rows = await db.query<{ count: number; first: string; last: string; total: number }>(select, [
    runId,
    leastAlike,
  ]);
  const total = rows[0]?.total ?? 0;
  const items = rows.flatMap(({ count, first, last }) => {
    const alike = count >= total * leastShare ? shapeOf(first, last) : null;
    return alike === null ? [] : [{ ...alike, count, samples: [first, last] }];
  });
  return { total, items };
}

/**
 * Makes the pattern that two addresses of a group have in common.
 * @returns null where they differ in only one number of the path: those are pages of a site rather than a trap
 */
export function shapeOf(first: string, last: string): Pick<CrawlShape, "pattern" | "differs_in"> | null {
  const [a, b] = [new URL(first), new URL(last)];
  const { text: path, numbers } = withoutNumbers(a.pathname, b.pathname);
  const key = /^\?[^=&]*=?(?:[^&:/=]*(?::|%3A|\/))?/.exec(a.search)?.[0];
  if (key !== undefined) return { pattern: `${path}${key}*`, differs_in: `${key}…` };
  return numbers < 2 ? null : { pattern: path, differs_in: path.replaceAll("*", "…") };
}

/** Replaces numbers that differ by `*`, and counts them. */
function withoutNumbers(a: string, b: string): { text: string; numbers: number } {
  const others = b.match(/\d+/g) ?? [];
  let [at, numbers] = [0, 0];
  const text = a.replaceAll(/\d+/g, (number) => {
    const isSame = others[at] === number;
    at += 1;
    if (isSame) return number;
    numbers += 1;
    return "*";
  });
  return { text, numbers };
}
