import { type DueOutcome, type ScheduleInput, scheduleSpec } from "@web-tester/contracts/entities/schedule";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import type { NextDue } from "./schedules.js";

/** A due time that has come. */
export interface Due {
  scheduleId: string;
  objectId: string;
  spec: ScheduleInput;
  dueAt: Date;
}

/** The result of a due time. */
export interface DueResult {
  outcome: DueOutcome;
  runId: string | null;
  /** Why no run began; empty when one did. */
  said: string;
}

export interface TakeDueOptions {
  now: Date;
  /** Takes only this schedule; null: the one that has waited longest, where Fetch Alls come before fetches of a path. */
  only?: string | null;
  /** Begins the run, in the transaction that records the due time. */
  begin(tx: Queryable, due: Due): Promise<DueResult>;
  /** Returns the next due time; null when there is none. */
  next(due: Due): NextDue | null;
  /** Until when it has to wait all the same; null, as where this is left out: it does not. */
  waits?(due: Due): Date | null;
}

// rows that another process has locked are skipped. A Fetch All includes the pages of a path, but would be left out while a fetch of a path is running
const take = `
  SELECT s.id, s.test_object_id, s.spec, s.due_at FROM schedule s
  WHERE s.begins_at <= $1 AND ($2::uuid IS NULL OR s.id = $2)
  ORDER BY s.spec ->> 'work' = 'fetch-path', s.begins_at LIMIT 1 FOR UPDATE SKIP LOCKED`;

const end = `
  INSERT INTO due_time (schedule_id, due_at, outcome, run_id, said) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (schedule_id, due_at) DO NOTHING RETURNING due_at`;

/** The most past due times that are kept of each schedule. */
const keptDueTimes = 200;

const forget = `
  DELETE FROM due_time WHERE schedule_id = $1 AND due_at < (
    SELECT due_at FROM due_time WHERE schedule_id = $1 ORDER BY due_at DESC OFFSET $2 LIMIT 1)`;

/**
 * Takes one due time that has come and begins its run. The run, the end of the due time and the next due time are one transaction, and
 * the row is locked meanwhile: however many take at once, and wherever one is killed, a due time makes one run. Times that passed while nobody
 * took them are caught up once.
 * @returns null where nothing is due; without a result where it has to wait
 */
export async function takeDue(
  db: Database,
  { now, only = null, begin, next, waits }: TakeDueOptions,
): Promise<{ due: Due; result: DueResult | null } | null> {
  return db.transaction(async (tx) => {
    const [row] = await tx.query<{ id: string; test_object_id: string; spec: unknown; due_at: Date }>(take, [
      now,
      only,
    ]);
    if (row === undefined) return null;
    const due = {
      scheduleId: row.id,
      objectId: row.test_object_id,
      spec: scheduleSpec.parse(row.spec),
      dueAt: row.due_at,
    };
    const until = waits?.(due) ?? null;
    if (until !== null) {
      await tx.query(`UPDATE schedule SET begins_at = $2 WHERE id = $1`, [row.id, until]);
      return { due, result: null };
    }
    const [known] = await tx.query(`SELECT 1 FROM due_time WHERE schedule_id = $1 AND due_at = $2`, [
      row.id,
      row.due_at,
    ]);
    const result: DueResult =
      known === undefined ? await begin(tx, due) : { outcome: "started", runId: null, said: "It was taken before." };
    if (known === undefined) await tx.query(end, [row.id, row.due_at, result.outcome, result.runId, result.said]);
    const following = next(due);
    await tx.query(`UPDATE schedule SET due_at = $2, begins_at = $3 WHERE id = $1`, [
      row.id,
      following?.dueAt ?? null,
      following?.beginsAt ?? null,
    ]);
    await tx.query(forget, [row.id, keptDueTimes]);
    return { due, result };
  });
}
