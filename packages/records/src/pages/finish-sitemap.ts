import type { Database, Queryable } from "@web-tester/platform/database/database";
import { budgets } from "@web-tester/contracts/limits";
import { makeMissing } from "../instances/create-instances.js";
import { countVisited, type LockedCrawl, lockCrawl, noGrowth } from "../runs/crawl-counters.js";
import type { RunProgress } from "../runs/run-progress.js";
import { closeQueued } from "./close-pages.js";
import { insertSkips, unknownOf } from "./frontier.js";
import { hasPage } from "./known-address.js";
import { linkToInstances } from "./settle-pages.js";
import type { CrawlBudget, SkippedPage } from "./visited-page.js";

/** A sitemap that this worker has leased. */
export interface HeldSitemap {
  id: string;
  runId: string;
  fence: number;
}

/** An address that a sitemap names, canonical and in scope. */
export interface SitemapEntry {
  url: string;
  name: string;
}

/** The result of reading one file; `detail`: its contents. */
export interface SitemapResult {
  failed: boolean;
  http_status: number | null;
  error_code: string | null;
  error: string | null;
  detail: unknown;
  bytes: number;
}

const insertEntries = `
  INSERT INTO crawl_page (run_id, url, depth, found_on_id, state, outcome, kind)
  SELECT $1, e.url, 0, $3, 'done', 'instance', 'entry' FROM unnest($2::text[]) AS e (url)
  WHERE NOT ${hasPage("$1", "e.url")}
  ORDER BY e.url LIMIT $4
  ON CONFLICT (run_id, url) DO NOTHING
  RETURNING url`;
const insertSitemaps = `
  INSERT INTO crawl_page (run_id, url, depth, partition, found_on_id, kind)
  SELECT $1, s.url, s.depth, s.partition, $5, 'sitemap' FROM unnest($2::text[], $3::int[], $4::int[]) AS s (url, depth, partition)
  WHERE NOT ${hasPage("$1", "s.url")}
  ORDER BY s.url LIMIT $6
  ON CONFLICT (run_id, url) DO NOTHING
  RETURNING id, partition, split_part(url, '/', 3) AS host`;
const finish = `
  UPDATE crawl_page SET state = $3, outcome = $4, http_status = $5, error_code = $6, error = $7, detail = $8, lease_until = NULL
  WHERE id = $1 AND fence = $2 AND state = 'running' RETURNING id`;

/**
 * Records a batch of a sitemap's addresses as instances. Idempotent, so a sitemap may be read twice. Known instances keep their names.
 * @returns the run's counters, or null when it was stopped; `full` when the page budget left some out
 */
export function storeEntries(
  db: Database,
  sitemap: HeldSitemap,
  entries: readonly SitemapEntry[],
  skipped: readonly SkippedPage[],
  pagesMax: number,
): Promise<{ run: RunProgress; full: boolean } | null> {
  return db.transaction(async (tx) => {
    const run = await lockCrawl(tx, sitemap.runId);
    if (run === null) return null;
    const room = Math.max(0, pagesMax - run.found);
    const urls = entries.map(({ url }) => url);
    const rows = await tx.query<{ url: string }>(insertEntries, [sitemap.runId, urls, sitemap.id, room]);
    const taken = new Set(rows.map(({ url }) => url));
    const fresh = entries.filter(({ url }) => taken.has(url));
    // addresses that the run already knows do not count towards the page budget
    const unknown = rows.length < room ? [] : await unknownOf(tx, sitemap.runId, urls);
    const left = unknown.map((url) => ({ url, reason: "pages" as const, foundOnId: sitemap.id }));
    const full = left.length > 0;
    await insertSkips(tx, sitemap.runId, [...skipped, ...left]);
    const made = fresh.length === 0 ? 0 : await makeMissing(tx, run.objectId, fresh);
    if (fresh.length > 0) await linkToInstances(tx, sitemap.runId, run.objectId, [...taken]);
    const counted = await countVisited(tx, sitemap.runId, {
      total: fresh.length,
      completed: fresh.length,
      failed: 0,
      found: fresh.length,
      foundNew: made,
      bytes: 0,
      endedBy: full ? "pages" : null,
    });
    return counted === null ? null : { run: counted, full };
  });
}

/** A queued sitemap whose message has to be published. */
export interface QueuedSitemap {
  id: string;
  partition: number;
  /** Host with port. */
  host: string;
}

/**
 * Queues the sitemaps that another one names, until the run has `sitemapFilesMax` files; sitemaps that the run already knows are skipped.
 * @returns the sitemaps to publish, or null when the run was stopped
 */
export function storeSitemaps(
  db: Database,
  sitemap: HeldSitemap,
  children: readonly { url: string; depth: number; partition: number }[],
): Promise<QueuedSitemap[] | null> {
  return db.transaction(async (tx) => {
    const run = await lockCrawl(tx, sitemap.runId);
    if (run === null) return null;
    const urls = children.map(({ url }) => url);
    const room = Math.max(0, budgets.sitemapFilesMax - (run.total - run.found));
    // it was already recorded that there are more; each of 10,000 files may name 50,000 others
    if (room === 0 && run.endedBy !== null) return [];
    const queued = await tx.query<QueuedSitemap>(insertSitemaps, [
      sitemap.runId,
      urls,
      children.map(({ depth }) => depth),
      children.map(({ partition }) => partition),
      sitemap.id,
      room,
    ]);
    const unknown = queued.length < room ? [] : await unknownOf(tx, sitemap.runId, urls);
    await insertSkips(
      tx,
      sitemap.runId,
      unknown.map((url) => ({ url, reason: "pages", foundOnId: sitemap.id })),
    );
    await countVisited(tx, sitemap.runId, {
      ...noGrowth,
      total: queued.length,
      endedBy: unknown.length > 0 ? "pages" : null,
    });
    return queued;
  });
}

/**
 * Ends one sitemap. If a budget of the object is spent, the remaining sitemaps are closed unread.
 * @returns null when this worker has lost its lease of the sitemap, or the run was stopped
 */
export function finishSitemap(
  db: Database,
  sitemap: HeldSitemap,
  result: SitemapResult,
  budget: CrawlBudget,
): Promise<RunProgress | null> {
  return db.transaction(async (tx) => {
    const run = await lockCrawl(tx, sitemap.runId);
    if (run === null) return null;
    const moved = await tx.query(finish, [
      sitemap.id,
      sitemap.fence,
      result.failed ? "failed" : "done",
      result.failed ? "failed" : "sitemap",
      result.http_status,
      result.error_code,
      result.error,
      JSON.stringify(result.detail),
    ]);
    if (moved.length === 0) return null;
    const endedBy =
      run.ageS > budget.minutesMax * 60
        ? "time"
        : run.bytes + result.bytes > budget.mibMax * 1024 * 1024
          ? "bytes"
          : null;
    const isSpent = run.endedBy !== null && !isOfFiles(run, budget);
    const closed = endedBy === null && !isSpent ? 0 : await closeQueued(tx, sitemap.runId);
    return countVisited(tx, sitemap.runId, {
      ...noGrowth,
      completed: 1 + closed,
      failed: result.failed ? 1 : 0,
      bytes: result.bytes,
      endedBy: closed > 0 ? endedBy : null,
    });
  });
}

/** Whether the run hit the limit of sitemap files, not that of pages: then the queued files are read all the same. */
const isOfFiles = (run: LockedCrawl, { pagesMax }: CrawlBudget): boolean =>
  run.endedBy === "pages" && run.found < pagesMax;

const insertFirst = `
  INSERT INTO crawl_page (run_id, url, depth, partition, kind)
  SELECT $1, s.url, 0, s.partition, 'sitemap' FROM unnest($2::text[], $3::int[]) AS s (url, partition)
  RETURNING id, partition, split_part(url, '/', 3) AS host`;

/** Inserts the sitemaps with which a sitemap crawl begins. */
export async function insertFirstSitemaps(
  tx: Queryable,
  runId: string,
  sitemaps: readonly { url: string; partition: number }[],
): Promise<QueuedSitemap[]> {
  return tx.query<QueuedSitemap>(insertFirst, [
    runId,
    sitemaps.map(({ url }) => url),
    sitemaps.map(({ partition }) => partition),
  ]);
}
