import type { BudgetName, SkipReason } from "@web-tester/contracts/entities";
import { budgets } from "@web-tester/contracts/limits";
import { packLinks } from "../../addresses/link-keys.js";
import type { Database, Queryable } from "../database.js";
import { keepOwnName } from "./canonical-keep.js";
import type { RunProgress } from "./run-progress.js";
import { prepared, type Statement } from "../statement.js";

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
  /** Where a redirect ended, when that address was visited by following it. */
  redirectedTo: FoundPage | null;
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
  SELECT test_object_id, total, bytes::float8 AS bytes, extract(epoch FROM now() - created_at)::float8 AS "ageS"
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

const insertRedirectTargets = prepared(`
  INSERT INTO crawl_page (run_id, url, depth, partition, found_on_id, state, outcome)
  SELECT $1, f.url, f.depth, f.partition, f.found_on, 'done', 'instance'
  FROM unnest($2::text[], $3::int[], $4::int[], $5::uuid[]) AS f (url, depth, partition, found_on)
  ON CONFLICT (run_id, url) DO NOTHING
  RETURNING id, url`);

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

const upsertInstances = prepared(`
  INSERT INTO test_instance (test_object_id, url, name)
  SELECT $1, f.url, f.name FROM unnest($2::text[], $3::text[]) AS f (url, name) ORDER BY f.url
  ON CONFLICT (test_object_id, url) DO UPDATE SET name = EXCLUDED.name WHERE test_instance.name <> EXCLUDED.name
  RETURNING (xmax = 0) AS inserted`);

const linkInstances = prepared(`
  UPDATE crawl_page p SET test_instance_id = i.id
  FROM test_instance i
  WHERE p.run_id = $1 AND p.url = ANY($3) AND i.test_object_id = $2 AND i.url = p.url`);

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
    const [run] = await tx.query<{ test_object_id: string; total: number; bytes: number; ageS: number }>(lockRun, [
      runId,
    ]);
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

    const targets = distinct(mine.flatMap((page) => (page.redirectedTo === null ? [] : [page.redirectedTo])));
    const arrivals = await insertPages<{ id: string; url: string }>(tx, insertRedirectTargets, runId, targets);
    const arrived = new Map(arrivals.map(({ id, url }) => [url, id]));
    const room = spent === null ? Math.max(0, budget.pagesMax - run.total - arrived.size) : 0;
    const fresh = distinct(found);
    const queued =
      room === 0
        ? []
        : await insertPages<{ id: string; partition: number; url: string }>(tx, insertFound, runId, fresh, [room]);
    const left = spent === null && queued.length === room ? leftOut(fresh, queued) : [];
    // what a page of a million links leaves out is counted, not listed
    await insertSkips(tx, runId, [...skipped, ...left.slice(0, budgets.skipsMax)]);
    await storeLinks(tx, runId, mine, arrived);
    const closed = spent === null ? 0 : await closeQueued(tx, runId);
    const kept = await keepOwnName(tx, runId, mine, spent !== null);

    const instances = await storeInstances(tx, runId, run.test_object_id, [
      ...mine.flatMap((page) =>
        page.instance !== null && (page.redirectedTo === null || arrived.has(page.instance.url)) ? [page.instance] : [],
      ),
      ...kept.instances,
    ]);
    const failed = moved.filter((row) => row.state === "failed").length + kept.failed;
    const endedBy = spent ?? (left.length > 0 ? "pages" : null);
    const completed = moved.length + arrived.size + closed;
    const progress = await countRun(tx, runId, {
      total: queued.length + arrived.size,
      completed,
      failed,
      found: instances.found,
      foundNew: instances.inserted,
      bytes,
      endedBy,
    });
    return {
      running: true,
      queued: queued.map(({ id, partition, url }) => ({ id, partition, host: new URL(url).host })),
      run: progress,
      overBudget: left.length,
      endedBy: spent,
    };
  });
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

/** Addresses that found no room; some of them may be known to the run already, which the statement that records them sees. */
function leftOut(fresh: readonly FoundPage[], queued: readonly { url: string }[]): SkippedPage[] {
  const taken = new Set(queued.map((row) => row.url));
  return fresh.filter(({ url }) => !taken.has(url)).map(({ url, foundOnId }) => ({ url, reason: "pages", foundOnId }));
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
function distinct(pages: readonly FoundPage[]): FoundPage[] {
  const byUrl = new Map<string, FoundPage>();
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

async function storeInstances(
  tx: Queryable,
  runId: string,
  objectId: string,
  instances: readonly { url: string; name: string }[],
): Promise<{ found: number; inserted: number }> {
  const byUrl = new Map(instances.map((instance) => [instance.url, instance.name.replaceAll("\0", "").toWellFormed()]));
  if (byUrl.size === 0) return { found: 0, inserted: 0 };
  const rows = await tx.query<{ inserted: boolean }>(upsertInstances, [
    objectId,
    [...byUrl.keys()],
    [...byUrl.values()],
  ]);
  await tx.query(linkInstances, [runId, objectId, [...byUrl.keys()]]);
  return { found: byUrl.size, inserted: rows.filter((row) => row.inserted).length };
}
