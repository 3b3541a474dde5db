import type { Database, Queryable } from "@web-tester/platform/database/database";
import { endLongLeases, type LeasedTable, queueNow } from "../leases/leased-rows.js";
import { type FirstDue, setBackSchedules } from "../schedules/set-back-schedules.js";
import { type ClockChange, lookAtClock } from "./sure-clock.js";

/** What the work after a clock was set back needs to know. */
export interface SetBackOptions {
  /** How long a worker's lease lasts. */
  leaseMs: number;
  firstDue: FirstDue;
}

/** No lease lasts for more than twice this time, or twice its usual one: a longer one is of a clock that was ahead between two looks. */
const longLeaseMs = 600_000;

const leasedTables: readonly LeasedTable[] = ["test_snapshot", "crawl_page"];

/**
 * Brings moments back that were written while the database's clock was ahead: leases of workers that have died since, the waiting time of
 * queued rows, and due times, which would all wait until the clock is there again.
 */
async function bringBack(tx: Queryable, { leaseMs, firstDue }: SetBackOptions): Promise<void> {
  for (const table of leasedTables) {
    // workers that live renew theirs long before; those of dead ones would end when the clock is there again
    await endLongLeases(tx, table, { leaseMs, longestMs: leaseMs });
    await queueNow(tx, table);
  }
  await setBackSchedules(tx, firstDue);
}

/** Looks at the database's clock, and brings moments back where it was set back. @returns what has changed, null where nothing has */
export function keepClock(db: Database, options: SetBackOptions): Promise<ClockChange | null> {
  const longest = 2 * Math.max(options.leaseMs, longLeaseMs);
  return db.transaction(async (tx) => {
    const change = await lookAtClock(tx);
    if (change?.went === "back") await bringBack(tx, options);
    else
      for (const table of leasedTables)
        await endLongLeases(tx, table, { leaseMs: options.leaseMs, longestMs: longest });
    return change;
  });
}
