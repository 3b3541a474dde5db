import type { Queryable } from "@web-tester/platform/database/database";

const leases = `
  UPDATE test_snapshot SET lease_until = now() + $1::int * interval '1 ms'
  WHERE state = 'running' AND lease_until > now() + $2::int * interval '1 ms'`;

/** Shortens leases of snapshots that would last for longer than `longestMs` to `leaseMs`. */
export async function endLongSnapshotLeases(tx: Queryable, leaseMs: number, longestMs: number): Promise<void> {
  await tx.query(leases, [leaseMs, longestMs]);
}

/** Lets snapshots that are queued at a time to come wait from now on. */
export async function queueSnapshotsNow(tx: Queryable): Promise<void> {
  await tx.query("UPDATE test_snapshot SET queued_at = now() WHERE state = 'queued' AND queued_at > now()");
}
