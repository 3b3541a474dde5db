import type { ScheduleInput } from "@web-tester/contracts/entities/schedule";
import { nextDue } from "./due-times.js";
import { jitterOf } from "./jitter.js";
import { quietUntil } from "./quiet-until.js";

/**
 * Returns a schedule's first due time after a moment, and when its run begins.
 * @returns null when the schedule is paused, or never due again
 */
export function firstDue(id: string, spec: ScheduleInput, after: Date): { dueAt: Date; beginsAt: Date } | null {
  const dueAt = spec.paused ? null : nextDue(spec, after);
  if (dueAt === null) return null;
  const late = new Date(dueAt.getTime() + jitterOf(id, spec.jitter_minutes));
  // a run that would begin in quiet hours begins at its due time, which is before them
  return { dueAt, beginsAt: spec.quiet !== null && quietUntil(spec.quiet, late) !== null ? dueAt : late };
}

/**
 * Returns the next due time after one whose run begins now. Due times whose runs would have begun by now are covered by this run; due times
 * that passed while it waited for its jitter are not, because their runs are still to begin.
 */
export function dueAfter(
  id: string,
  spec: ScheduleInput,
  dueAt: Date,
  now: Date,
): { dueAt: Date; beginsAt: Date } | null {
  const begunUntil = now.getTime() - jitterOf(id, spec.jitter_minutes);
  return firstDue(id, spec, new Date(Math.max(begunUntil, dueAt.getTime())));
}
