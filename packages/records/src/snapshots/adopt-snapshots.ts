import type { Queryable } from "@web-tester/platform/database/database";
import { deleteChanges } from "../changes/queue-changes.js";
import { sharesOf } from "../instances/delete-instance.js";
import { correctRuns } from "../runs/run-counters.js";
import type { DeletedSnapshot } from "./end-snapshots.js";

/** Snapshots of one instance that become those of another one of the same object. */
export interface Adoption {
  from: string;
  to: string;
  /** What is added to their numbers. */
  shift: number;
  /** Only snapshots with a higher number. */
  above: number;
}

const adopt = `
  WITH adopted AS (
    UPDATE test_snapshot s SET test_instance_id = a."to", number = s.number + a.shift
    FROM jsonb_to_recordset($1::jsonb) AS a ("from" uuid, "to" uuid, shift int, above int)
    WHERE s.test_instance_id = a."from" AND s.number > a.above RETURNING s.id, s.test_instance_id
  )
  SELECT DISTINCT ON (test_instance_id) id FROM adopted ORDER BY test_instance_id, id`;

/** Moves snapshots between instances. @returns the oldest snapshot of each adoption that had any */
export async function adoptSnapshots(tx: Queryable, adoptions: readonly Adoption[]): Promise<string[]> {
  return (await tx.query<{ id: string }>(adopt, [JSON.stringify(adoptions)])).map(({ id }) => id);
}

/** Returns those of the instances that have a snapshot that is requested but not finished. */
export async function withOpenSnapshots(tx: Queryable, instanceIds: readonly string[]): Promise<Set<string>> {
  const rows = await tx.query<{ id: string }>(
    `SELECT DISTINCT test_instance_id AS id FROM test_snapshot
     WHERE test_instance_id = ANY($1) AND state IN ('created', 'queued', 'running')`,
    [instanceIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Two instances that turned out to be one page. */
export interface SamePage {
  one: string;
  other: string;
}

const both = `
  FROM unnest($1::uuid[], $2::uuid[]) AS p (one, other)
  JOIN test_snapshot b ON b.test_instance_id = p.other JOIN test_snapshot a ON a.run_id = b.run_id AND a.test_instance_id = p.one`;
const idsOf = (pages: readonly SamePage[]) => [pages.map(({ one }) => one), pages.map(({ other }) => other)];

/** Returns the first of each two instances that a run fetches both and that is still running. */
export async function fetchingBoth(tx: Queryable, pages: readonly SamePage[]): Promise<Set<string>> {
  const rows = await tx.query<{ one: string }>(
    `SELECT DISTINCT p.one ${both} JOIN run r ON r.id = a.run_id WHERE r.state = 'running'`,
    idsOf(pages),
  );
  return new Set(rows.map(({ one }) => one));
}

const doubles = `
  SELECT CASE WHEN b.state = 'done' OR a.state <> 'done' THEN a.id ELSE b.id END AS id ${both} ORDER BY 1 FOR UPDATE OF a, b`;
const remove = `DELETE FROM test_snapshot WHERE id = ANY($1) RETURNING id, run_id, state`;

/**
 * Deletes one of two snapshots that the same run took of one page at two addresses, since a run has one snapshot of a page: the new
 * address's is kept if it was fetched successfully, because it has no redirect. The runs are over.
 */
export async function deleteDoubles(tx: Queryable, pages: readonly SamePage[]): Promise<void> {
  const ids = (await tx.query<{ id: string }>(doubles, idsOf(pages))).map(({ id }) => id);
  if (ids.length === 0) return;
  const changed = await deleteChanges(tx, ids);
  const gone = await tx.query<DeletedSnapshot>(remove, [ids]);
  const counted = gone.map((row) => ({ ...row, changed: changed.has(row.id) }));
  await correctRuns(tx, sharesOf(counted));
}
