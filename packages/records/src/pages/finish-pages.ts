import type { BudgetName, SkipReason } from "@web-tester/contracts/entities";
import { budgets } from "@web-tester/contracts/limits";
import { packLinks } from "@web-tester/urls/link-keys";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { type SettledPages, settlePages, storeInstances } from "../instances/create-instances.js";
import type { RunProgress } from "../runs/run-progress.js";
import { prepared, type Statement } from "@web-tester/platform/database/statement";

/** How a visited address ended; `instance` alone makes or confirms an instance, `canonical` leaves that to the address the page names. */
export type PageOutcome =
  | "instance"
  | "redirected"
  | "canonical"
  | "not-html"
  | "out-of-scope"
  | "excluded"
  | "denied"
  | "failed";

/** An address to add to the frontier. */
export interface FoundPage {
  url: string;
  depth: number;
  partition: number;
  foundOnId: string;
}

/** The address where a redirect ended, visited by following it. */
export interface Arrival extends FoundPage {
  /** The canonical address that the page there names, and what it is called; null where it goes by its own. */
  canonical: { target: string; name: string } | null;
}

/** An address that was met and is not visited. */
export interface SkippedPage {
  url: string;
  reason: SkipReason;
  foundOnId: string;
}

/** What a crawl may cost in all. */
export interface CrawlBudget {
  pagesMax: number;
  minutesMax: number;
  mibMax: number;
}

export interface VisitedPage {
  id: string;
  fence: number;
  outcome: PageOutcome;
  http_status: number | null;
  error_code: string | null;
  error: string | null;
  /** The instance's address and name, for outcome `instance` or a redirect that ended on a page not visited before. */
  instance: { url: string; name: string } | null;
  redirectedTo: Arrival | null;
  /** Where a redirect or a canonical link leads. */
  target: string | null;
  /** For outcome `canonical`: what the page is called should its canonical address turn out to be none. */
  name: string | null;
  /** Keys of the links of the page that may turn out to be broken (`linkKey`). */
  carried: readonly number[];
  /** What the visit cost on the wire. */
  bytes: number;
}

export interface FinishedPages {
  /** False when the run was cancelled or deleted meanwhile: nothing was written. */
  running: boolean;
  /** Addresses that are new to this run, to be published. */
  queued: { id: string; partition: number; host: string }[];
  run: RunProgress | null;
  /** Addresses left out because the run is at its page budget. */
  overBudget: number;
  /** The budget that ended the run with this batch, null where none did. */
  endedBy: BudgetName | null;
}

const lockRun = prepared(`
  SELECT test_object_id, total, completed, bytes::float8 AS bytes, extract(epoch FROM now() - created_at)::float8 AS "ageS"
  FROM run WHERE id = $1 AND state = 'running' FOR UPDATE`);

const insertFound = prepared(`
  INSERT INTO crawl_page (run_id, url, depth, partition, found_on_id)
  SELECT $1, f.url, f.depth, f.partition, f.found_on
  FROM unnest($2::text[], $3::int[], $4::int[], $5::uuid[]) AS f (url, depth, partition, found_on)
  WHERE NOT EXISTS (SELECT 1 FROM crawl_page p WHERE p.run_id = $1 AND p.url = f.url)
  ORDER BY f.depth, f.url
  LIMIT $6
  ON CONFLICT (run_id, url) DO NOTHING
  RETURNING id, partition, url`);

/* Of an address that still waits for its visit this was the visit; who has it in hand writes nothing any more, as its fence grows. */
const insertArrivals = prepared(`
  INSERT INTO crawl_page AS p (run_id, url, depth, partition, found_on_id, state, outcome, target, detail)
  SELECT $1, f.url, f.depth, f.partition, f.found_on, 'done', CASE WHEN f.target IS NULL THEN 'instance' ELSE 'canonical' END,
         f.target, CASE WHEN f.target IS NULL THEN NULL ELSE jsonb_build_object('name', f.name) END
  FROM unnest($2::text[], $3::int[], $4::int[], $5::uuid[], $6::text[], $7::text[]) AS f (url, depth, partition, found_on, target, name)
  ON CONFLICT (run_id, url) DO UPDATE
  SET state = 'done', outcome = excluded.outcome, target = excluded.target, detail = excluded.detail, fence = p.fence + 1, lease_until = NULL
  WHERE p.state IN ('queued', 'running')
  RETURNING p.id, p.url, (xmax = 0) AS inserted`);

const selectUnknown = prepared(`
  SELECT f.url FROM unnest($2::text[]) AS f (url)
  WHERE NOT EXISTS (SELECT 1 FROM crawl_page p WHERE p.run_id = $1 AND p.url = f.url)`);

const insertLinks = prepared(`INSERT INTO crawl_link (run_id, page_ids, links) VALUES ($1, $2, $3)`);

const finishVisited = prepared(`
  WITH result AS (
    SELECT * FROM jsonb_to_recordset($2::jsonb) AS r (id uuid, fence int, outcome text, http_status int, error_code text, error text, target text, name text)
  )
  UPDATE crawl_page p
  SET state = CASE WHEN r.outcome = 'failed' THEN 'failed' ELSE 'done' END, lease_until = NULL,
      outcome = r.outcome, http_status = r.http_status, error_code = r.error_code, error = r.error, target = r.target,
      detail = CASE WHEN r.name IS NULL THEN NULL ELSE jsonb_build_object('name', r.name) END
  FROM result r WHERE p.id = r.id AND p.fence = r.fence AND p.state = 'running' AND p.run_id = $1
  RETURNING p.id, p.state`);

const insertSkipped = prepared(`
  INSERT INTO crawl_skip (run_id, url, reason, found_on_id)
  SELECT $1, s.url, s.reason, s.found_on FROM unnest($2::text[], $3::text[], $4::uuid[]) AS s (url, reason, found_on)
  WHERE NOT EXISTS (SELECT 1 FROM crawl_page p WHERE p.run_id = $1 AND p.url = s.url)
  ORDER BY s.url
  ON CONFLICT (run_id, url) DO NOTHING`);

/* The fence grows, so that a crawler with the address in hand writes nothing any more. */
const closeRest = `
  WITH closed AS (
    UPDATE crawl_page SET state = 'cancelled', fence = fence + 1, lease_until = NULL, outcome = 'budget', error_code = 'cancelled',
           error = 'The crawl was at its budget before this address was visited.'
    WHERE run_id = $1 AND state IN ('queued', 'running') RETURNING 1
  )
  SELECT count(*)::int AS n FROM closed`;

/** Closes what is queued or in work of a run whose budget is spent; the run must be locked. @returns how many addresses */
export async function closeQueued(tx: Queryable, runId: string): Promise<number> {
  const [closed] = await tx.query<{ n: number }>(closeRest, [runId]);
  return closed?.n ?? 0;
}

const count = prepared(`
  UPDATE run SET
    bytes = bytes + $7, ended_by = coalesce(ended_by, $8),
    total = total + $2, completed = completed + $3, failed = failed + $4, found = found + $5, found_new = found_new + $6,
    state = CASE WHEN completed + $3 >= total + $2 THEN 'finished' ELSE state END,
    finished_at = CASE WHEN completed + $3 >= total + $2 THEN now() ELSE finished_at END
  WHERE id = $1
  RETURNING id, test_object_id, kind, state, total, completed, failed, changed, found`);

/**
 * Records a batch of visits of one run in one transaction: the visited addresses, the new ones, those left out, the instances
 * and the counters. The run's row is locked first, so batches of one run follow one another and none deadlocks. A run whose
 * time or bytes are spent ends here: what is still queued is closed.
 */
export function finishPages(
  db: Database,
  runId: string,
  visited: readonly VisitedPage[],
  found: readonly FoundPage[],
  skipped: readonly SkippedPage[],
  budget: CrawlBudget,
): Promise<FinishedPages> {
  return db.transaction(async (tx) => {
    const [run] = await tx.query<LockedRun>(lockRun, [runId]);
    if (run === undefined) return { running: false, queued: [], run: null, overBudget: 0, endedBy: null };
    const moved = await tx.query<{ id: string; state: string }>(finishVisited, [
      runId,
      JSON.stringify(visited.map(stored)),
    ]);
    const movedIds = new Set(moved.map((row) => row.id));
    const mine = visited.filter((page) => movedIds.has(page.id));
    const bytes = mine.reduce((sum, page) => sum + page.bytes, 0);
    const spent =
      run.ageS > budget.minutesMax * 60 ? "time" : run.bytes + bytes > budget.mibMax * 1024 * 1024 ? "bytes" : null;

    const arrivals = await storeArrivals(tx, runId, mine);
    const arrived = new Map(arrivals.map(({ id, url }) => [url, id]));
    const added = arrivals.filter(({ inserted }) => inserted).length;
    const room = spent === null ? Math.max(0, budget.pagesMax - run.total - added) : 0;
    const fresh = distinct(found);
    const queued =
      room === 0
        ? []
        : await insertPages<{ id: string; partition: number; url: string }>(tx, insertFound, runId, fresh, [room]);
    const left = queued.length < room ? [] : await leftOut(tx, runId, fresh);
    // what a page of a million links leaves out is counted, not listed
    await insertSkips(tx, runId, [...skipped, ...left.slice(0, budgets.skipsMax)]);
    await storeLinks(tx, runId, mine, arrived);
    const closed = spent === null ? 0 : await closeQueued(tx, runId);
    const instances = await storeInstances(
      tx,
      runId,
      run.test_object_id,
      mine.flatMap((page) =>
        page.instance !== null && (page.redirectedTo === null || arrived.has(page.instance.url)) ? [page.instance] : [],
      ),
    );
    const total = queued.length + added;
    const completed = moved.length + arrivals.length + closed;
    const isEnd = run.completed + completed >= run.total + total;
    const settled = isEnd ? await settlePages(tx, runId, run.test_object_id) : nothingSettled;
    // a budget is hit only where something was left out for it
    const isShort = left.length + closed > 0;
    const endedBy = isShort ? (spent ?? "pages") : null;
    const progress = await countRun(tx, runId, {
      total,
      completed,
      failed: moved.filter((row) => row.state === "failed").length + settled.failed,
      found: instances.found + settled.found,
      foundNew: instances.inserted + settled.foundNew,
      bytes,
      endedBy,
    });
    return {
      running: true,
      queued: queued.map(({ id, partition, url }) => ({ id, partition, host: new URL(url).host })),
      run: progress,
      overBudget: spent === null ? left.length : 0,
      endedBy: isShort ? spent : null,
    };
  });
}

interface LockedRun {
  test_object_id: string;
  total: number;
  completed: number;
  bytes: number;
  ageS: number;
}

const nothingSettled: SettledPages = { found: 0, foundNew: 0, failed: 0 };

async function storeArrivals(
  tx: Queryable,
  runId: string,
  visited: readonly VisitedPage[],
): Promise<{ id: string; url: string; inserted: boolean }[]> {
  const targets = distinct(visited.flatMap((page) => (page.redirectedTo === null ? [] : [page.redirectedTo])));
  return insertPages(tx, insertArrivals, runId, targets, [
    targets.map(({ canonical }) => canonical?.target ?? null),
    targets.map(({ canonical }) => canonical?.name.replaceAll("\0", "").toWellFormed() ?? null),
  ]);
}

/** Notes which pages carry which links; a redirect's content is that of the page where it arrived, which has its own row. */
async function storeLinks(
  tx: Queryable,
  runId: string,
  visited: readonly VisitedPage[],
  arrived: ReadonlyMap<string, string>,
): Promise<void> {
  const packed = packLinks(
    visited.flatMap(({ id, redirectedTo, carried }) => {
      const pageId = redirectedTo === null ? id : arrived.get(redirectedTo.url);
      return pageId === undefined ? [] : [{ pageId, keys: carried }];
    }),
  );
  if (packed !== null) await tx.query(insertLinks, [runId, packed.pageIds, packed.links]);
}

/** Addresses that found no room: those that the run does not know after all. */
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

/** @returns which of the addresses a run has no row of */
export async function unknownOf(tx: Queryable, runId: string, urls: readonly string[]): Promise<string[]> {
  if (urls.length === 0) return [];
  return (await tx.query<{ url: string }>(selectUnknown, [runId, urls])).map(({ url }) => url);
}

/** By how much a run's counters grow. */
export interface RunGrowth {
  total: number;
  completed: number;
  failed: number;
  found: number;
  foundNew: number;
  bytes: number;
  endedBy: BudgetName | null;
}

/** Moves a run's counters, and the run to finished where nothing is left; to be called in the transaction that moved the rows, with the run locked. */
export async function countRun(tx: Queryable, runId: string, growth: RunGrowth): Promise<RunProgress | null> {
  const [row] = await tx.query<RunProgress>(count, [
    runId,
    growth.total,
    growth.completed,
    growth.failed,
    growth.found,
    growth.foundNew,
    growth.bytes,
    growth.endedBy,
  ]);
  return row ?? null;
}

/** Records addresses that are left out, each once; those that the run visits are left alone. */
export async function insertSkips(tx: Queryable, runId: string, skipped: readonly SkippedPage[]): Promise<void> {
  if (skipped.length === 0) return;
  await tx.query(insertSkipped, [
    runId,
    skipped.map(({ url }) => url),
    skipped.map(({ reason }) => reason),
    skipped.map(({ foundOnId }) => foundOnId),
  ]);
}

function stored(page: VisitedPage): unknown {
  return {
    id: page.id,
    fence: page.fence,
    outcome: page.outcome,
    http_status: page.http_status,
    error_code: page.error_code,
    target: page.target,
    name: page.name?.replaceAll("\0", "").toWellFormed() ?? null,
    error: page.error?.replaceAll("\0", "").toWellFormed() ?? null,
  };
}

/** First of each address wins; sorted, so that concurrent inserts meet in one order. */
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
