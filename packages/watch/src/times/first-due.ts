import type { ScheduleInput } from "@web-tester/contracts/entities/schedule";
import { nextDue } from "./due-times.js";
import { jitterOf } from "./jitter.js";
import { quietUntil } from "./quiet-until.js";

/**
 * When a schedule is due for the first time after a moment, and when the run of that time begins.
 * @returns null where it is paused, or never due again
 */
export function firstDue(id: string, spec: ScheduleInput, after: Date): { dueAt: Date; beginsAt: Date } | null {
  const dueAt = spec.paused ? null : nextDue(spec, after);
  if (dueAt === null) return null;
  const late = new Date(dueAt.getTime() + jitterOf(id, spec.jitter_minutes));
  // what would begin in quiet hours begins when it is due, which is before them
  return { dueAt, beginsAt: spec.quiet !== null && quietUntil(spec.quiet, late) !== null ? dueAt : late };
}

/**
 * The same behind a due time whose run begins now. Those whose runs would have begun by now are caught up by this one; those that passed while it was waiting are
 * not, as theirs are still to begin.
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
