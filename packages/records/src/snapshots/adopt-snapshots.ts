import type { Queryable } from "@web-tester/platform/database/database";

const adopt = `
  UPDATE test_snapshot SET test_instance_id = $2, number = number + $3 WHERE test_instance_id = $1 AND number > $4 RETURNING id`;

/**
 * Moves snapshots of one instance to another one of the same object.
 * @param how.shift what is added to their numbers; `above`: only those with a higher number
 * @returns the oldest of them, null when there are none
 */
export async function adoptSnapshots(
  tx: Queryable,
  from: string,
  to: string,
  how: { shift: number; above: number },
): Promise<string | null> {
  const rows = await tx.query<{ id: string }>(adopt, [from, to, how.shift, how.above]);
  return rows.reduce<string | null>((oldest, { id }) => (oldest === null || id < oldest ? id : oldest), null);
}

/** Whether these instances have a snapshot that is requested but not finished. */
export async function hasOpenSnapshots(tx: Queryable, instanceIds: readonly string[]): Promise<boolean> {
  const [open] = await tx.query(
    `SELECT 1 FROM test_snapshot WHERE test_instance_id = ANY($1) AND state IN ('created', 'queued', 'running') LIMIT 1`,
    [instanceIds],
  );
  return open !== undefined;
}

/** Whether one run fetched both instances: their snapshots cannot become those of one, as a run has one snapshot of an instance at most. */
export async function wereFetchedTogether(tx: Queryable, one: string, other: string): Promise<boolean> {
  const [both] = await tx.query(
    `SELECT 1 FROM test_snapshot a JOIN test_snapshot b ON b.run_id = a.run_id AND b.test_instance_id = $2
     WHERE a.test_instance_id = $1 LIMIT 1`,
    [one, other],
  );
  return both !== undefined;
}
