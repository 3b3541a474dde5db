import { budgets } from "@web-tester/contracts/limits";
import type { Database, Queryable } from "../database.js";
import type { RunProgress } from "./run-progress.js";

/** How a visited address ended; `instance` alone makes or confirms an instance. */
export type PageOutcome = "instance" | "redirected" | "not-html" | "out-of-scope" | "excluded" | "failed";

/** An address to add to the frontier. */
export interface FoundPage {
  url: string;
  depth: number;
  partition: number;
  foundOnId: string;
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
}

export interface FinishedPages {
  /** False when the run was cancelled or deleted meanwhile: nothing was written. */
  running: boolean;
  /** Addresses that are new to this run, to be published. */
  queued: { id: string; partition: number }[];
  run: RunProgress | null;
  /** Addresses left out because the run is at its page budget. */
  overBudget: number;
}

const lockRun = `SELECT test_object_id, total FROM run WHERE id = $1 AND state = 'running' FOR UPDATE`;

const insertFound = `
  INSERT INTO crawl_page (run_id, url, depth, partition, found_on_id)
  SELECT $1, f.url, f.depth, f.partition, f.found_on
  FROM unnest($2::text[], $3::int[], $4::int[], $5::uuid[]) AS f (url, depth, partition, found_on)
  WHERE NOT EXISTS (SELECT 1 FROM crawl_page p WHERE p.run_id = $1 AND p.url = f.url)
  ORDER BY f.depth, f.url
  LIMIT $6
  ON CONFLICT (run_id, url) DO NOTHING
  RETURNING id, partition, url`;

const insertRedirectTargets = `
  INSERT INTO crawl_page (run_id, url, depth, partition, found_on_id, state, outcome)
  SELECT $1, f.url, f.depth, f.partition, f.found_on, 'done', 'instance'
  FROM unnest($2::text[], $3::int[], $4::int[], $5::uuid[]) AS f (url, depth, partition, found_on)
  ON CONFLICT (run_id, url) DO NOTHING
  RETURNING url`;

const finishVisited = `
  WITH result AS (
    SELECT * FROM jsonb_to_recordset($2::jsonb) AS r (id uuid, fence int, outcome text, http_status int, error_code text, error text)
  )
  UPDATE crawl_page p
  SET state = CASE WHEN r.outcome = 'failed' THEN 'failed' ELSE 'done' END, lease_until = NULL,
      outcome = r.outcome, http_status = r.http_status, error_code = r.error_code, error = r.error
  FROM result r WHERE p.id = r.id AND p.fence = r.fence AND p.state = 'running' AND p.run_id = $1
  RETURNING p.id, p.state`;

const upsertInstances = `
  INSERT INTO test_instance (test_object_id, url, name)
  SELECT $1, f.url, f.name FROM unnest($2::text[], $3::text[]) AS f (url, name) ORDER BY f.url
  ON CONFLICT (test_object_id, url) DO UPDATE SET name = EXCLUDED.name WHERE test_instance.name <> EXCLUDED.name
  RETURNING (xmax = 0) AS inserted`;

const linkInstances = `
  UPDATE crawl_page p SET test_instance_id = i.id
  FROM test_instance i
  WHERE p.run_id = $1 AND p.url = ANY($3) AND i.test_object_id = $2 AND i.url = p.url`;

const count = `
  UPDATE run SET
    total = total + $2, completed = completed + $3, failed = failed + $4, found = found + $5, found_new = found_new + $6,
    state = CASE WHEN completed + $3 >= total + $2 THEN 'finished' ELSE state END,
    finished_at = CASE WHEN completed + $3 >= total + $2 THEN now() ELSE finished_at END
  WHERE id = $1
  RETURNING id, test_object_id, kind, state, total, completed, failed, changed, found`;

/**
 * Records a batch of visits of one run in one transaction: the visited addresses, the new ones, the instances and the
 * counters. The run's row is locked first, so batches of one run follow one another and none deadlocks.
 */
export function finishPages(
  db: Database,
  runId: string,
  visited: readonly VisitedPage[],
  found: readonly FoundPage[],
): Promise<FinishedPages> {
  return db.transaction(async (tx) => {
    const [run] = await tx.query<{ test_object_id: string; total: number }>(lockRun, [runId]);
    if (run === undefined) return { running: false, queued: [], run: null, overBudget: 0 };
    const moved = await tx.query<{ id: string; state: string }>(finishVisited, [
      runId,
      JSON.stringify(visited.map(stored)),
    ]);
    const movedIds = new Set(moved.map((row) => row.id));
    const mine = visited.filter((page) => movedIds.has(page.id));

    const targets = distinct(mine.flatMap((page) => (page.redirectedTo === null ? [] : [page.redirectedTo])));
    const arrived = new Set(
      (await insertPages<{ url: string }>(tx, insertRedirectTargets, runId, targets)).map((row) => row.url),
    );
    const room = Math.max(0, budgets.crawlPagesMax - run.total - arrived.size);
    const fresh = distinct(found);
    const queued = await insertPages<{ id: string; partition: number; url: string }>(tx, insertFound, runId, fresh, [
      room,
    ]);

    const instances = await storeInstances(
      tx,
      runId,
      run.test_object_id,
      mine.flatMap((page) =>
        page.instance !== null && (page.redirectedTo === null || arrived.has(page.instance.url)) ? [page.instance] : [],
      ),
    );
    const failed = moved.filter((row) => row.state === "failed").length;
    const [progress] = await tx.query<RunProgress>(count, [
      runId,
      queued.length + arrived.size,
      moved.length + arrived.size,
      failed,
      instances.found,
      instances.inserted,
    ]);
    return {
      running: true,
      queued: queued.map(({ id, partition }) => ({ id, partition })),
      run: progress ?? null,
      overBudget: queued.length === room ? Math.max(0, fresh.length - room) : 0,
    };
  });
}

function stored(page: VisitedPage): unknown {
  return {
    id: page.id,
    fence: page.fence,
    outcome: page.outcome,
    http_status: page.http_status,
    error_code: page.error_code,
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
  sql: string,
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
