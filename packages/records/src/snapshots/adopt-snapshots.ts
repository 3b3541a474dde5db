import type { Queryable } from "@web-tester/platform/database/database";

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

const together = `
  SELECT p.one FROM unnest($1::uuid[], $2::uuid[]) AS p (one, other) WHERE EXISTS (
    SELECT 1 FROM test_snapshot a JOIN test_snapshot b ON b.run_id = a.run_id AND b.test_instance_id = p.other WHERE a.test_instance_id = p.one)`;

/**
 * Finds pairs of instances that one run fetched both: their snapshots cannot become those of one, as a run has one snapshot of an instance
 * at most.
 * @returns the first of each such pair
 */
export async function fetchedTogether(
  tx: Queryable,
  pairs: readonly { one: string; other: string }[],
): Promise<Set<string>> {
  const rows = await tx.query<{ one: string }>(together, [
    pairs.map(({ one }) => one),
    pairs.map(({ other }) => other),
  ]);
  return new Set(rows.map(({ one }) => one));
}
