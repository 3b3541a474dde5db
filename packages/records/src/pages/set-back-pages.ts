import type { Queryable } from "@web-tester/platform/database/database";

const leases = `
  UPDATE crawl_page SET lease_until = now() + $1::int * interval '1 ms'
  WHERE state = 'running' AND lease_until > now() + $2::int * interval '1 ms'`;

/** Shortens leases of addresses of crawls that would last for longer than `longestMs` to `leaseMs`. */
export async function endLongPageLeases(tx: Queryable, leaseMs: number, longestMs: number): Promise<void> {
  await tx.query(leases, [leaseMs, longestMs]);
}

/** Lets addresses that are queued at a time to come wait from now on. */
export async function queuePagesNow(tx: Queryable): Promise<void> {
  await tx.query("UPDATE crawl_page SET queued_at = now() WHERE state = 'queued' AND queued_at > now()");
}
