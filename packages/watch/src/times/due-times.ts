import type { ScheduleInput } from "@web-tester/contracts/entities/schedule";
import { cronOf } from "./cron-of.js";
import { quietUntil } from "./quiet-until.js";

/** The fields that decide when a schedule is due. */
export type Timing = Pick<ScheduleInput, "time" | "quiet">;

const minuteMs = 60_000;
/** The most due times in a row that may fall into the quiet hours of different nights before the schedule counts as never due. */
const nightsMax = 400;

/**
 * Returns the first due time after a moment (exclusive). Times within quiet hours are skipped.
 * @returns null when there is none, or when all fall within quiet hours for more than a year
 */
export function nextDue({ time, quiet }: Timing, after: Date): Date | null {
  const following = time.type === "every" ? (from: Date) => nextMultiple(time.minutes, from) : cronTimes(time);
  let from = after;
  for (let night = 0; night < nightsMax; night++) {
    const due = following(from);
    if (due === null) return null;
    const end = quiet === null ? null : quietUntil(quiet, due);
    if (end === null) return due;
    // at its end the quiet time is over, and a due time may fall on that moment
    from = new Date(Math.max(end.getTime() - 1, due.getTime()));
  }
  return null;
}

/** Returns the next due times after a moment, at most `count`. */
export function dueTimes(timing: Timing, after: Date, count: number): Date[] {
  const times: Date[] = [];
  for (let from: Date | null = after; times.length < count;) {
    from = nextDue(timing, from);
    if (from === null) break;
    times.push(from);
  }
  return times;
}

/** Returns the next multiple of this many minutes since 1970-01-01 UTC, so that every process computes the same times. */
function nextMultiple(minutes: number, after: Date): Date {
  const step = minutes * minuteMs;
  return new Date((Math.floor(after.getTime() / step) + 1) * step);
}

function cronTimes({ cron, time_zone: zone }: Extract<Timing["time"], { type: "cron" }>): (from: Date) => Date | null {
  const job = cronOf(cron, zone);
  return (from) => job.nextRun(from);
}
