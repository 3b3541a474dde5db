import { type ScheduleInput, scheduleSpec } from "@web-tester/contracts/entities/schedule";
import type { Queryable } from "@web-tester/platform/database/database";
import type { NextDue } from "./schedules.js";

/** Returns the first due time of a schedule after a moment; null when there is none. */
export type FirstDue = (id: string, spec: ScheduleInput, after: Date) => NextDue | null;

/** Brings due times forward that were counted from a clock that was ahead. */
export async function setBackSchedules(tx: Queryable, firstDue: FirstDue): Promise<void> {
  const schedules = await tx.query<{ id: string; spec: unknown; due_at: Date; now: Date }>(
    "SELECT id, spec, due_at, now() AS now FROM schedule WHERE due_at > now() ORDER BY id FOR UPDATE",
  );
  for (const { id, spec, due_at: dueAt, now } of schedules) {
    const first = firstDue(id, scheduleSpec.parse(spec), now);
    if (first === null || first.dueAt >= dueAt) continue;
    await tx.query("UPDATE schedule SET due_at = $2, begins_at = $3 WHERE id = $1", [id, first.dueAt, first.beginsAt]);
  }
}
