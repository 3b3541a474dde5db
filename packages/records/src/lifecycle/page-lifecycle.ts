import type { LifecycleKind } from "@web-tester/contracts/entities/lifecycle";
import type { Queryable } from "@web-tester/platform/database/database";

/** An entry on what became of a page. */
export interface LifecycleEntry {
  instance_id: string;
  kind: LifecycleKind;
  url: string;
  to_url?: string | null;
  said?: string;
  /** Number of the newest snapshot before the history followed the page to a new address. */
  last_number?: number | null;
  /** Whether the history follows the page as soon as it is no longer being fetched. */
  waits?: boolean;
}

const insert = `
  INSERT INTO page_lifecycle (test_object_id, test_instance_id, run_id, kind, url, to_url, said, last_number, waits)
  SELECT $1, e.instance_id, $2, e.kind, e.url, e.to_url, coalesce(e.said, ''), e.last_number, coalesce(e.waits, false)
  FROM jsonb_to_recordset($3::jsonb) AS e (instance_id uuid, kind text, url text, to_url text, said text, last_number int, waits boolean)`;

export async function insertLifecycle(
  tx: Queryable,
  objectId: string,
  runId: string,
  entries: readonly LifecycleEntry[],
): Promise<void> {
  if (entries.length > 0) await tx.query(insert, [objectId, runId, JSON.stringify(entries)]);
}

/* At the first crawl all pages would be new, so none is noted. The address to which a page moved is not new. */
const insertFresh = `
  INSERT INTO page_lifecycle (test_object_id, test_instance_id, run_id, kind, url)
  SELECT r.test_object_id, i.id, r.id, 'new', i.url
  FROM run r JOIN test_instance i ON i.test_object_id = r.test_object_id AND i.created_at BETWEEN r.created_at AND r.finished_at
  WHERE r.id = $1
    AND EXISTS (SELECT 1 FROM run b WHERE b.test_object_id = r.test_object_id AND b.kind IN ('crawl', 'sitemaps') AND b.id < r.id AND b.state = 'finished')
    AND i.url NOT IN (SELECT m.to_url FROM page_lifecycle m WHERE m.run_id = $1 AND m.kind = 'moved' AND m.to_url IS NOT NULL)
  ORDER BY i.url`;

/** Records the pages that a crawl or a sitemap crawl created. */
export async function insertNewPages(tx: Queryable, runId: string): Promise<void> {
  await tx.query(insertFresh, [runId]);
}

export interface LifecycleRow {
  id: string;
  instance_id: string;
  name: string;
  run_id: string;
  kind: LifecycleKind;
  url: string;
  to_url: string | null;
  said: string;
  created_at: Date;
  undone_at: Date | null;
  can_undo: boolean;
}

const columns = `l.id, l.test_instance_id AS instance_id, i.name, l.run_id, l.kind, l.url, l.to_url, l.said, l.created_at, l.undone_at,
    l.kind = 'moved' AND l.last_number IS NOT NULL AND l.undone_at IS NULL AND i.url = l.to_url AS can_undo`;

const isMeant = `l.test_object_id = $1 AND ($2::text IS NULL OR l.kind = $2) AND ($3::uuid IS NULL OR l.run_id = $3)
    AND ($4::uuid IS NULL OR (l.run_id <= $4 AND l.run_id > coalesce((
      SELECT p.id FROM run p WHERE p.test_object_id = $1 AND p.kind = 'snapshot-all' AND p.state = 'finished' AND p.id < $4 ORDER BY p.id DESC LIMIT 1
    ), '00000000-0000-0000-0000-000000000000')))`;

const select = `
  SELECT ${columns} FROM page_lifecycle l JOIN test_instance i ON i.id = l.test_instance_id
  WHERE ${isMeant} AND ($5::uuid IS NULL OR l.id < $5) ORDER BY l.id DESC LIMIT $6`;

/**
 * What is asked for: `kind` and `runId` alone, or `reviewOf`: what this fetch noticed, and what was noticed since the fetch before it (ids of
 * runs grow with time). Null: all.
 */
interface LifecycleAsked {
  kind: LifecycleKind | null;
  runId: string | null;
  reviewOf: string | null;
}

/** What became of an object's pages, newest first. */
export function selectLifecycle(
  db: Queryable,
  objectId: string,
  { kind, runId, reviewOf }: LifecycleAsked,
  before: string | null,
  limit: number,
): Promise<LifecycleRow[]> {
  return db.query<LifecycleRow>(select, [objectId, kind, runId, reviewOf, before, limit]);
}

const selectEach = `
  SELECT ${columns}, n.total FROM (
    SELECT l.id, (count(*) OVER (PARTITION BY l.kind))::int AS total, row_number() OVER (PARTITION BY l.kind ORDER BY l.id DESC) AS nth
    FROM page_lifecycle l WHERE ${isMeant}
  ) n JOIN page_lifecycle l ON l.id = n.id JOIN test_instance i ON i.id = l.test_instance_id
  WHERE n.nth <= $5 ORDER BY l.id DESC`;

/** The newest of each kind, so many at most, and how many of it there are in `total`. */
export async function selectEachLifecycle(
  db: Queryable,
  objectId: string,
  { kind, runId, reviewOf }: LifecycleAsked,
  each: number,
): Promise<{ row: LifecycleRow; total: number }[]> {
  const rows = await db.query<LifecycleRow & { total: number }>(selectEach, [objectId, kind, runId, reviewOf, each]);
  return rows.map(({ total, ...row }) => ({ row, total }));
}

const settled = `
  UPDATE page_lifecycle l SET waits = false, last_number = coalesce(f.number, l.last_number)
  FROM page_lifecycle w LEFT JOIN unnest($2::uuid[], $3::int[]) AS f (id, number) ON f.id = w.test_instance_id
  WHERE w.test_object_id = $1 AND w.waits AND w.test_instance_id <> ALL ($4::uuid[]) AND l.id = w.id`;

/** Ends the waiting of moves. @param numbers as `last_number`, by instance, of those that were followed @param busy those that go on waiting */
export async function settleWaiting(
  tx: Queryable,
  objectId: string,
  numbers: ReadonlyMap<string, number>,
  busy: ReadonlySet<string>,
): Promise<void> {
  await tx.query(settled, [objectId, [...numbers.keys()], [...numbers.values()], [...busy]]);
}

/** Marks a move as undone. */
export async function markUndone(tx: Queryable, id: string): Promise<void> {
  await tx.query(`UPDATE page_lifecycle SET undone_at = now() WHERE id = $1`, [id]);
}
