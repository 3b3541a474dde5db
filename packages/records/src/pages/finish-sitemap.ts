import type { Database, Queryable } from "@web-tester/platform/database/database";
import { budgets } from "@web-tester/contracts/limits";
import {
  closeQueued,
  countRun,
  type CrawlBudget,
  insertSkips,
  type RunGrowth,
  type SkippedPage,
  unknownOf,
} from "./finish-pages.js";
import type { RunProgress } from "../runs/run-progress.js";

/** A sitemap in this worker's hands. */
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

/** How the reading of one file ended; `detail` is what it held. */
export interface SitemapResult {
  failed: boolean;
  http_status: number | null;
  error_code: string | null;
  error: string | null;
  detail: unknown;
  bytes: number;
}

const lockRun = `
  SELECT test_object_id AS "objectId", total, bytes::float8 AS bytes, ended_by AS "endedBy", extract(epoch FROM now() - created_at)::float8 AS "ageS"
  FROM run WHERE id = $1 AND state = 'running' FOR UPDATE`;
const insertEntries = `
  INSERT INTO crawl_page (run_id, url, depth, found_on_id, state, outcome, kind)
  SELECT $1, e.url, 0, $3, 'done', 'instance', 'entry' FROM unnest($2::text[]) AS e (url)
  WHERE NOT EXISTS (SELECT 1 FROM crawl_page p WHERE p.run_id = $1 AND p.url = e.url)
  ORDER BY e.url LIMIT $4
  ON CONFLICT (run_id, url) DO NOTHING
  RETURNING url`;
const insertInstances = `
  INSERT INTO test_instance (test_object_id, url, name)
  SELECT $1, e.url, e.name FROM unnest($2::text[], $3::text[]) AS e (url, name) ORDER BY e.url
  ON CONFLICT (test_object_id, url) DO NOTHING
  RETURNING id`;
const linkInstances = `
  UPDATE crawl_page p SET test_instance_id = i.id
  FROM test_instance i WHERE p.run_id = $1 AND p.url = ANY($3) AND i.test_object_id = $2 AND i.url = p.url`;
const insertSitemaps = `
  INSERT INTO crawl_page (run_id, url, depth, partition, found_on_id, kind)
  SELECT $1, s.url, s.depth, s.partition, $5, 'sitemap' FROM unnest($2::text[], $3::int[], $4::int[]) AS s (url, depth, partition)
  WHERE NOT EXISTS (SELECT 1 FROM crawl_page p WHERE p.run_id = $1 AND p.url = s.url)
  ORDER BY s.url LIMIT $6
  ON CONFLICT (run_id, url) DO NOTHING
  RETURNING id`;
const finish = `
  UPDATE crawl_page SET state = $3, outcome = $4, http_status = $5, error_code = $6, error = $7, detail = $8, lease_until = NULL
  WHERE id = $1 AND fence = $2 AND state = 'running' RETURNING id`;

/**
 * Records a group of addresses that a sitemap names as instances; recording them again changes nothing, so a sitemap may
 * be read twice. Known instances keep their names.
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
    const run = await lock(tx, sitemap.runId);
    if (run === null) return null;
    const room = Math.max(0, pagesMax - run.total);
    const rows = await tx.query<{ url: string }>(insertEntries, [
      sitemap.runId,
      entries.map(({ url }) => url),
      sitemap.id,
      room,
    ]);
    const taken = new Set(rows.map(({ url }) => url));
    const fresh = entries.filter(({ url }) => taken.has(url));
    // what the run knows already needs no room
    const unknown =
      rows.length < room
        ? []
        : await unknownOf(
            tx,
            sitemap.runId,
            entries.map(({ url }) => url),
          );
    const left = unknown.map((url) => ({ url, reason: "pages" as const, foundOnId: sitemap.id }));
    const full = left.length > 0;
    await insertSkips(tx, sitemap.runId, [...skipped, ...left]);
    const made =
      fresh.length === 0
        ? []
        : await tx.query(insertInstances, [
            run.objectId,
            fresh.map(({ url }) => url),
            fresh.map(({ name }) => name.replaceAll("\0", "").toWellFormed()),
          ]);
    if (fresh.length > 0) await tx.query(linkInstances, [sitemap.runId, run.objectId, [...taken]]);
    const counted = await countRun(tx, sitemap.runId, {
      total: fresh.length,
      completed: fresh.length,
      failed: 0,
      found: fresh.length,
      foundNew: made.length,
      bytes: 0,
      endedBy: full ? "pages" : null,
    });
    return counted === null ? null : { run: counted, full };
  });
}

/**
 * Queues the sitemaps that another one names; those that the run knows already are left alone.
 * @returns those to be published, or null when the run was stopped
 */
export function storeSitemaps(
  db: Database,
  sitemap: HeldSitemap,
  children: readonly { url: string; depth: number; partition: number }[],
  pagesMax: number,
): Promise<{ id: string }[] | null> {
  return db.transaction(async (tx) => {
    const run = await lock(tx, sitemap.runId);
    if (run === null) return null;
    const urls = children.map(({ url }) => url);
    const room = Math.max(0, pagesMax + budgets.sitemapFilesMax - run.total);
    const queued = await tx.query<{ id: string }>(insertSitemaps, [
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
    await countRun(tx, sitemap.runId, {
      ...noGrowth,
      total: queued.length,
      endedBy: unknown.length > 0 ? "pages" : null,
    });
    return queued;
  });
}

const noGrowth: RunGrowth = { total: 0, completed: 0, failed: 0, found: 0, foundNew: 0, bytes: 0, endedBy: null };

/**
 * Ends one sitemap. Where a budget of the object is spent, the sitemaps that are left are closed unread.
 * @returns null when the sitemap is no longer in this worker's hands, or its run was stopped
 */
export function finishSitemap(
  db: Database,
  sitemap: HeldSitemap,
  result: SitemapResult,
  budget: CrawlBudget,
): Promise<RunProgress | null> {
  return db.transaction(async (tx) => {
    const run = await lock(tx, sitemap.runId);
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
    const closed = endedBy === null && run.endedBy === null ? 0 : await closeQueued(tx, sitemap.runId);
    return countRun(tx, sitemap.runId, {
      ...noGrowth,
      completed: 1 + closed,
      failed: result.failed ? 1 : 0,
      bytes: result.bytes,
      endedBy: closed > 0 ? endedBy : null,
    });
  });
}

interface LockedRun {
  objectId: string;
  total: number;
  bytes: number;
  endedBy: string | null;
  ageS: number;
}

async function lock(tx: Queryable, runId: string): Promise<LockedRun | null> {
  const [run] = await tx.query<LockedRun>(lockRun, [runId]);
  return run ?? null;
}
