import type { Queryable } from "@web-tester/platform/database/database";
import { prepared, type Statement } from "@web-tester/platform/database/statement";
import { hasPage } from "./known-address.js";
import type { Arrival, FoundPage, SkippedPage } from "./visited-page.js";

/** An address that was added to a run's frontier, whose message has to be published. */
export interface QueuedPage {
  id: string;
  partition: number;
  url: string;
}

const insertFound = prepared(`
  INSERT INTO crawl_page (run_id, url, depth, partition, found_on_id)
  SELECT $1, f.url, f.depth, f.partition, f.found_on
  FROM unnest($2::text[], $3::int[], $4::int[], $5::uuid[]) AS f (url, depth, partition, found_on)
  WHERE NOT ${hasPage("$1", "f.url")}
  ORDER BY f.depth, f.url
  LIMIT $6
  ON CONFLICT (run_id, url) DO NOTHING
  RETURNING id, partition, url`);

/**
 * Adds addresses to a run's frontier, at most `room`, those with the fewest links from the start first.
 * @returns the added addresses, and new ones for which there was no room
 */
export async function addToFrontier(
  tx: Queryable,
  runId: string,
  found: readonly FoundPage[],
  room: number,
): Promise<{ queued: QueuedPage[]; left: SkippedPage[] }> {
  const fresh = distinct(found);
  const queued = room === 0 ? [] : await insertPages<QueuedPage>(tx, insertFound, runId, fresh, [room]);
  return { queued, left: queued.length < room ? [] : await leftOut(tx, runId, fresh) };
}

/** Returns addresses for which there was no room: those that the run still does not know. */
async function leftOut(tx: Queryable, runId: string, fresh: readonly FoundPage[]): Promise<SkippedPage[]> {
  const unknown = new Set(
    await unknownOf(
      tx,
      runId,
      fresh.map(({ url }) => url),
    ),
  );
  return fresh.flatMap(({ url, foundOnId }) =>
    unknown.has(url) ? [{ url, reason: "pages" as const, foundOnId }] : [],
  );
}

const selectUnknown = prepared(`
  SELECT f.url FROM unnest($2::text[]) AS f (url)
  WHERE NOT ${hasPage("$1", "f.url")}`);

/** @returns the addresses for which a run has no row */
export async function unknownOf(tx: Queryable, runId: string, urls: readonly string[]): Promise<string[]> {
  if (urls.length === 0) return [];
  return (await tx.query<{ url: string }>(selectUnknown, [runId, urls])).map(({ url }) => url);
}

/* For an address that is still queued this counts as its visit. A crawler that works on it cannot write any more, because its fence is raised. */
const insertArrivals = prepared(`
  INSERT INTO crawl_page AS p (run_id, url, depth, partition, found_on_id, state, outcome, target, detail)
  SELECT $1, f.url, f.depth, f.partition, f.found_on, 'done', CASE WHEN f.target IS NULL THEN 'instance' ELSE 'canonical' END,
         f.target, CASE WHEN f.target IS NULL THEN NULL ELSE jsonb_build_object('name', f.name) END
  FROM unnest($2::text[], $3::int[], $4::int[], $5::uuid[], $6::text[], $7::text[]) AS f (url, depth, partition, found_on, target, name)
  ON CONFLICT (run_id, url) DO UPDATE
  SET state = 'done', outcome = excluded.outcome, target = excluded.target, detail = excluded.detail, fence = p.fence + 1, lease_until = NULL
  WHERE p.state IN ('queued', 'running')
  RETURNING p.id, p.url, (xmax = 0) AS inserted`);

/** Records the pages where redirects ended. @returns those that this run had not visited; `inserted`: the address was new to the run */
export async function storeArrivals(
  tx: Queryable,
  runId: string,
  arrivals: readonly Arrival[],
): Promise<{ id: string; url: string; inserted: boolean }[]> {
  const targets = distinct(arrivals);
  return insertPages(tx, insertArrivals, runId, targets, [
    targets.map(({ canonical }) => canonical?.target ?? null),
    targets.map(({ canonical }) => canonical?.name.replaceAll("\0", "").toWellFormed() ?? null),
  ]);
}

const insertSkipped = prepared(`
  INSERT INTO crawl_skip (run_id, url, reason, found_on_id)
  SELECT $1, s.url, s.reason, s.found_on FROM unnest($2::text[], $3::text[], $4::uuid[]) AS s (url, reason, found_on)
  WHERE NOT ${hasPage("$1", "s.url")}
  ORDER BY s.url
  ON CONFLICT (run_id, url) DO NOTHING
  RETURNING reason`);

/**
 * Records addresses that are left out, each once; addresses that the run visits are skipped.
 * @returns the reasons of those that were recorded now
 */
export async function insertSkips(
  tx: Queryable,
  runId: string,
  skipped: readonly SkippedPage[],
): Promise<{ reason: string }[]> {
  if (skipped.length === 0) return [];
  return tx.query<{ reason: string }>(insertSkipped, [
    runId,
    skipped.map(({ url }) => url),
    skipped.map(({ reason }) => reason),
    skipped.map(({ foundOnId }) => foundOnId),
  ]);
}

const insertFirst = `INSERT INTO crawl_page (run_id, url, depth, partition) VALUES ($1, $2, 0, $3) RETURNING id`;

/** Inserts the first address of a crawl. @returns its id */
export async function insertFirstPage(tx: Queryable, runId: string, url: string, partition: number): Promise<string> {
  const [page] = await tx.query<{ id: string }>(insertFirst, [runId, url, partition]);
  if (page === undefined) throw new Error("INSERT … RETURNING gave no row");
  return page.id;
}

/** Keeps the first of equal addresses. The result is sorted, so that concurrent inserts lock in the same order. */
function distinct<Page extends FoundPage>(pages: readonly Page[]): Page[] {
  const byUrl = new Map<string, Page>();
  for (const page of pages) if (!byUrl.has(page.url)) byUrl.set(page.url, page);
  return [...byUrl.values()].sort((a, b) => (a.url < b.url ? -1 : 1));
}

async function insertPages<Row extends { url: string }>(
  tx: Queryable,
  sql: Statement,
  runId: string,
  pages: readonly FoundPage[],
  more: readonly unknown[] = [],
): Promise<Row[]> {
  if (pages.length === 0) return [];
  return tx.query<Row>(sql, [
    runId,
    pages.map((page) => page.url),
    pages.map((page) => page.depth),
    pages.map((page) => page.partition),
    pages.map((page) => page.foundOnId),
    ...more,
  ]);
}
