import { type DueOutcome, dueOutcome, type ScheduleInput, scheduleSpec } from "@web-tester/contracts/entities/schedule";
import type { Queryable } from "@web-tester/platform/database/database";

/** A due time, and when its run begins. */
export interface NextDue {
  dueAt: Date;
  beginsAt: Date;
}

/** A schedule as it is stored, with its newest past due time. */
export interface ScheduleRow {
  id: string;
  objectId: string;
  spec: ScheduleInput;
  dueAt: Date | null;
  beginsAt: Date | null;
  createdAt: Date;
  last: { dueAt: Date; outcome: DueOutcome; runId: string | null; said: string } | null;
}

interface StoredSchedule {
  id: string;
  test_object_id: string;
  spec: unknown;
  due_at: Date | null;
  begins_at: Date | null;
  created_at: Date;
  last: { due_at: string; outcome: string; run_id: string | null; said: string } | null;
}

const columns = `s.id, s.test_object_id, s.spec, s.due_at, s.begins_at, s.created_at, (
  SELECT to_jsonb(d) FROM due_time d WHERE d.schedule_id = s.id ORDER BY d.due_at DESC LIMIT 1
) AS last`;

function toRow(row: StoredSchedule): ScheduleRow {
  const { last } = row;
  return {
    id: row.id,
    objectId: row.test_object_id,
    spec: scheduleSpec.parse(row.spec),
    dueAt: row.due_at,
    beginsAt: row.begins_at,
    createdAt: row.created_at,
    last:
      last === null
        ? null
        : {
            dueAt: new Date(last.due_at),
            outcome: dueOutcome.parse(last.outcome),
            runId: last.run_id,
            said: last.said,
          },
  };
}

/** The schedules of an object in the order of their creation. */
export async function selectSchedules(db: Queryable, objectId: string): Promise<ScheduleRow[]> {
  const rows = await db.query<StoredSchedule>(
    `SELECT ${columns} FROM schedule s WHERE s.test_object_id = $1 ORDER BY s.created_at, s.id`,
    [objectId],
  );
  return rows.map(toRow);
}

const selectAll = `
  SELECT ${columns}, o.name AS object_name
  FROM schedule s JOIN test_object o ON o.id = s.test_object_id AND NOT o.deleting
  ORDER BY s.begins_at NULLS LAST, s.created_at, s.id LIMIT $1 OFFSET $2`;
const countAll = `
  SELECT count(*)::int AS total FROM schedule s JOIN test_object o ON o.id = s.test_object_id AND NOT o.deleting`;

/** Schedules of all objects; those that begin next come first. */
export async function selectAllSchedules(
  db: Queryable,
  limit: number,
  skip: number,
): Promise<{ total: number; rows: (ScheduleRow & { objectName: string })[] }> {
  const rows = await db.query<StoredSchedule & { object_name: string }>(selectAll, [limit, skip]);
  const [count] = await db.query<{ total: number }>(countAll);
  return { total: count?.total ?? 0, rows: rows.map((row) => ({ ...toRow(row), objectName: row.object_name })) };
}

/** Returns a schedule, locked until the transaction ends; null when there is none. */
export async function lockSchedule(tx: Queryable, id: string): Promise<ScheduleRow | null> {
  const [row] = await tx.query<StoredSchedule>(`SELECT ${columns} FROM schedule s WHERE s.id = $1 FOR UPDATE OF s`, [
    id,
  ]);
  return row === undefined ? null : toRow(row);
}

/** @param next the first due time; null while the schedule is paused */
export async function insertSchedule(
  tx: Queryable,
  id: string,
  objectId: string,
  spec: ScheduleInput,
  next: NextDue | null,
): Promise<void> {
  await tx.query(
    `INSERT INTO schedule (id, test_object_id, spec, due_at, begins_at) VALUES ($1, $2, $3::jsonb, $4, $5)`,
    [id, objectId, JSON.stringify(spec), next?.dueAt ?? null, next?.beginsAt ?? null],
  );
}

export async function updateSchedule(
  tx: Queryable,
  id: string,
  spec: ScheduleInput,
  next: { [Moment in keyof NextDue]: Date | null } | null,
): Promise<void> {
  await tx.query(`UPDATE schedule SET spec = $2::jsonb, due_at = $3, begins_at = $4 WHERE id = $1`, [
    id,
    JSON.stringify(spec),
    next?.dueAt ?? null,
    next?.beginsAt ?? null,
  ]);
}

export async function deleteSchedule(tx: Queryable, id: string): Promise<void> {
  await tx.query(`DELETE FROM schedule WHERE id = $1`, [id]);
}

/** A run that is about to begin by a schedule. */
export interface Upcoming {
  scheduleId: string;
  objectId: string;
  objectName: string;
  work: ScheduleInput["work"];
  dueAt: Date;
}

/** Returns the next scheduled runs over all objects. */
export async function selectUpcoming(db: Queryable, limit: number): Promise<Upcoming[]> {
  const rows = await db.query<{ id: string; object_id: string; name: string; spec: unknown; due_at: Date }>(
    `SELECT s.id, o.id AS object_id, o.name, s.spec, s.due_at
     FROM schedule s JOIN test_object o ON o.id = s.test_object_id AND NOT o.deleting
     WHERE s.begins_at IS NOT NULL ORDER BY s.begins_at LIMIT $1`,
    [limit],
  );
  return rows.map((row) => ({
    scheduleId: row.id,
    objectId: row.object_id,
    objectName: row.name,
    work: scheduleSpec.parse(row.spec).work,
    dueAt: row.due_at,
  }));
}
