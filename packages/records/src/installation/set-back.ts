import { type ScheduleInput, scheduleSpec } from "@web-tester/contracts/entities/schedule";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import type { NextDue } from "../schedules/schedules.js";
import { type ClockChange, lookAtClock } from "./sure-clock.js";

/** What the work after a clock was set back needs to know. */
export interface SetBackOptions {
  /** How long a worker's lease lasts. */
  leaseMs: number;
  /** Returns the first due time of a schedule after a moment; null when there is none. */
  firstDue(id: string, spec: ScheduleInput, after: Date): NextDue | null;
}

const leasedTables = ["test_snapshot", "crawl_page"] as const;
/* Workers that live renew theirs long before; those of dead ones would end when the clock is there again. */
const leases = (table: string) => `
  UPDATE ${table} SET lease_until = now() + $1::int * interval '1 ms'
  WHERE state = 'running' AND lease_until > now() + $2::int * interval '1 ms'`;
/** No lease lasts for more than twice this time, or twice its usual one: a longer one is of a clock that was ahead between two looks. */
const longLeaseMs = 600_000;
const queued = (table: string) => `UPDATE ${table} SET queued_at = now() WHERE state = 'queued' AND queued_at > now()`;

/**
 * Brings moments back that were written while the database's clock was ahead: leases of workers that have died since, the waiting time of
 * queued rows, and due times, which would all wait until the clock is there again.
 */
async function bringBack(tx: Queryable, { leaseMs, firstDue }: SetBackOptions): Promise<void> {
  for (const table of leasedTables) {
    await tx.query(leases(table), [leaseMs, leaseMs]);
    await tx.query(queued(table));
  }
  const schedules = await tx.query<{ id: string; spec: unknown; due_at: Date; now: Date }>(
    "SELECT id, spec, due_at, now() AS now FROM schedule WHERE due_at > now() ORDER BY id FOR UPDATE",
  );
  for (const { id, spec, due_at: dueAt, now } of schedules) {
    const first = firstDue(id, scheduleSpec.parse(spec), now);
    if (first === null || first.dueAt >= dueAt) continue;
    await tx.query("UPDATE schedule SET due_at = $2, begins_at = $3 WHERE id = $1", [id, first.dueAt, first.beginsAt]);
  }
}

/** Looks at the database's clock, and brings moments back where it was set back. @returns what has changed, null where nothing has */
export function keepClock(db: Database, options: SetBackOptions): Promise<ClockChange | null> {
  const longest = 2 * Math.max(options.leaseMs, longLeaseMs);
  return db.transaction(async (tx) => {
    const change = await lookAtClock(tx);
    if (change?.went === "back") await bringBack(tx, options);
    else for (const table of leasedTables) await tx.query(leases(table), [options.leaseMs, longest]);
    return change;
  });
}
