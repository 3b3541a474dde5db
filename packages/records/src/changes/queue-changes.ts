import { changesPerMessageMax } from "@web-tester/contracts/messages";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { isUntoldLook } from "../runs/look-run.js";
import { countChanged } from "../runs/run-counters.js";
import { lostRows, type Recoverable } from "../leases/lost-rows.js";
import { besideStatus } from "./facts-of.js";

/** SQL: queues the comparison of snapshots with the ones before them. @param snapshots SELECT of `id`, `test_instance_id` and `run_id` of finished snapshots */
export const queueChanges = (snapshots: string) => `
    INSERT INTO change (snapshot_id, test_object_id, run_id)
    SELECT q.id, i.test_object_id, q.run_id FROM (${snapshots}) q LEFT JOIN test_instance i ON i.id = q.test_instance_id ON CONFLICT DO NOTHING`;

/** SQL: whether a change is anything but unchanged, as in the conditions of the indexes `change_of_run` and `change_of_object`. @param c alias of the change */
export const isNotable = (c: string) => `(${c}.state <> 'done' OR ${c}.kind <> 'unchanged')`;

/**
 * SQL: the id of the finished snapshot before one, if they are equal, so that they need no comparison: same bytes, same files (or none to
 * compare), same facts (`changedFacts` finds nothing in equal ones), and already in the search index; else null. If a newer snapshot is
 * finished already, or two of one page finish together, the differ compares them.
 * @param m a row of `rows`
 * @param rows CTE with `id`, `test_instance_id`, `state`, `content_hash`, `charset`, `files_id`, `files_hash`, `http_status` and `facts`
 * (`besideStatus`). It is looked up by hash: the planner takes it for a single row, and would read all of it for each row.
 */
export const sameBefore = (m: string, rows: string) => `(
    SELECT p.id FROM test_instance i
    CROSS JOIN LATERAL (
      SELECT q.id, q.content_hash, q.charset, q.files_id, q.files_hash, q.http_status, ${besideStatus("q")} AS facts FROM test_snapshot q
      WHERE q.test_instance_id = ${m}.test_instance_id AND q.id < ${m}.id AND q.state = 'done' AND NOT ${isUntoldLook("q", "i")}
      ORDER BY q.id DESC LIMIT 1
    ) p
    WHERE i.id = ${m}.test_instance_id AND ${m}.state = 'done' AND p.content_hash = ${m}.content_hash AND p.charset IS NOT DISTINCT FROM ${m}.charset
      AND (p.files_hash IS NOT DISTINCT FROM ${m}.files_hash OR p.files_id IS NULL OR ${m}.files_id IS NULL) AND p.facts = ${m}.facts
      AND (p.http_status = ${m}.http_status OR p.http_status = 304 OR ${m}.http_status = 304)
      AND NOT EXISTS (SELECT 1 FROM test_snapshot n WHERE n.test_instance_id = ${m}.test_instance_id AND n.id > ${m}.id AND n.state = 'done')
      AND i.id NOT IN (SELECT o.test_instance_id FROM ${rows} o GROUP BY 1 HAVING count(*) > 1)
      AND EXISTS (SELECT 1 FROM search_entry e WHERE e.test_object_id = i.test_object_id AND e.content_hash = ${m}.content_hash
        AND e.charset = coalesce(${m}.charset, 'utf-8') AND e.problem IS NULL))`;

/** SQL: records snapshots as unchanged. @param rows SELECT of snapshot (`id`) and `previous_id` */
export const recordSame = (rows: string) =>
  `INSERT INTO change (snapshot_id, previous_id, state, kind, significant) SELECT id, previous_id, 'done', 'unchanged', false FROM (${rows}) u ON CONFLICT DO NOTHING`;

/** The most given-up comparisons that are queued again in one round. */
const requeuedAtOnce = 5_000;
/** A store that has a content at one time and not at the next is believed so often. */
const generationsMax = 50;

/**
 * SQL: whether a comparison was given up because a content could not be read, as in the condition of the index `change_unread`: it says
 * that the page changed, and nothing else. One that took too long or ended the differ has attempts, and is not tried again.
 */
const couldNotBeRead = (c: string) =>
  `${c}.state = 'done' AND ${c}.coarse AND ${c}.kind = 'changed' AND ${c}.changes = 0 AND ${c}.ignored = 0 AND ${c}.lines_added = 0 AND ${c}.lines_removed = 0 AND ${c}.attempts = 0`;

/** Recovers comparisons that lost their message. They have no lease, because comparing twice writes only once. */
export const recoverChanges: Recoverable<"diff"> = {
  name: "diff",
  requeueExpired: async () => 0,
  ...lostRows({ table: "change", key: "snapshot_id", waiting: "state = 'queued'" }),
  rowsPerMessage: changesPerMessageMax,
  body: (snapshotIds) => ({ snapshotIds }),
};

const requeue = `
  WITH again AS (
    UPDATE change c SET state = 'queued', generation = c.generation + 1, queued_at = now() FROM test_snapshot s
    WHERE c.snapshot_id = ANY($1) AND s.id = c.snapshot_id
    RETURNING s.run_id, old.state = 'done' AND old.kind = 'changed' AND old.significant AS was_counted
  ), counts AS (
    SELECT run_id, -count(*)::int AS n FROM again WHERE was_counted AND run_id IS NOT NULL GROUP BY run_id
  ), ${countChanged("counts")}
  SELECT count(*) FROM counted`;

/** Queues the comparisons of snapshots again, because others precede them now; the reconciler sends the message. */
export async function requeueChanges(tx: Queryable, snapshotIds: readonly string[]): Promise<void> {
  if (snapshotIds.length > 0) await tx.query(requeue, [snapshotIds]);
}

const unread = `
  SELECT c.snapshot_id AS id FROM change c
  JOIN test_snapshot s ON s.id = c.snapshot_id JOIN content n ON n.hash = s.content_hash AND n.stored
  JOIN test_snapshot p ON p.id = c.previous_id JOIN content o ON o.hash = p.content_hash AND o.stored
  WHERE ${couldNotBeRead("c")} AND c.generation < ${generationsMax} ORDER BY c.snapshot_id LIMIT ${requeuedAtOnce}`;

/**
 * Queues comparisons again that were given up because a content could not be read, as soon as both are known to be stored: the store may have
 * come back, or somebody has restored files.
 */
export async function compareFound(db: Database): Promise<void> {
  const rows = await db.query<{ id: string }>(unread);
  if (rows.length > 0)
    await db.transaction((tx) =>
      requeueChanges(
        tx,
        rows.map(({ id }) => id),
      ),
    );
}

/*
 * A separate statement: it waits for the differ, which does not lock snapshots, and returns what the differ wrote meanwhile. A subquery of
 * the snapshot's deletion would still see the old rows.
 */
const deleteAll = `
  DELETE FROM change WHERE snapshot_id = ANY($1) RETURNING snapshot_id AS id, state = 'done' AND kind = 'changed' AND significant AS changed`;

/** Deletes the comparisons of snapshots that are locked. @returns the ids of those that counted as changed */
export async function deleteChanges(tx: Queryable, snapshotIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string; changed: boolean }>(deleteAll, [snapshotIds]);
  return new Set(rows.flatMap((row) => (row.changed ? [row.id] : [])));
}

const orphans = `
  SELECT c.snapshot_id, c.previous_id FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id
  WHERE s.test_instance_id = ANY($1) AND c.previous_id = ANY($2)`;

const adopt = `
  UPDATE change c SET previous_id = a.previous_id
  FROM jsonb_to_recordset($1::jsonb) AS a (snapshot_id uuid, previous_id uuid) WHERE c.snapshot_id = a.snapshot_id`;

/** A removed snapshot with the result of its comparison. */
export interface RemovedSnapshot {
  id: string;
  test_instance_id: string;
  kind: string | null;
  previous_id: string | null;
}

/**
 * Repairs comparisons whose previous snapshot was removed: if that one was unchanged, the snapshot before it has equal content and takes
 * its place. Otherwise the comparison has no previous snapshot any more.
 */
export async function passOverRemoved(tx: Queryable, removed: readonly RemovedSnapshot[]): Promise<void> {
  const byId = new Map(removed.map((snapshot) => [snapshot.id, snapshot]));
  const left = await tx.query<{ snapshot_id: string; previous_id: string }>(orphans, [
    [...new Set(removed.map((snapshot) => snapshot.test_instance_id))],
    [...byId.keys()],
  ]);
  const adopted = left.map(({ snapshot_id: snapshotId, previous_id: previousId }) => {
    let at: string | null = previousId;
    for (let link = byId.get(at); link !== undefined; link = at === null ? undefined : byId.get(at))
      at = link.kind === "unchanged" ? link.previous_id : null;
    return { snapshot_id: snapshotId, previous_id: at };
  });
  if (adopted.length > 0) await tx.query(adopt, [JSON.stringify(adopted)]);
}
