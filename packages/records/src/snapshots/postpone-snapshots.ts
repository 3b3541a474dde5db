import type { Queryable } from "@web-tester/platform/database/database";

const postpone = `
  UPDATE test_snapshot s SET state = 'queued', queued_at = now(), lease_until = NULL, failures = s.failures + 1
  FROM unnest($1::uuid[], $2::int[]) AS held (id, fence)
  WHERE s.id = held.id AND s.fence = held.fence AND s.state = 'running'`;

/** Gives snapshots back that their page or its server failed, to be tried again; counts the failure. */
export async function postponeSnapshots(db: Queryable, held: readonly { id: string; fence: number }[]): Promise<void> {
  if (held.length > 0) await db.query(postpone, [held.map(({ id }) => id), held.map(({ fence }) => fence)]);
}
