import type { ScheduleInput } from "@web-tester/contracts/entities/schedule";
import { cronOf } from "./cron-of.js";
import { quietUntil } from "./quiet-until.js";

/** What decides when a schedule is due. */
export type Timing = Pick<ScheduleInput, "time" | "quiet">;

const minuteMs = 60_000;
/** Due times that may fall into quiet hours one after the other, each of another night, before it counts as never due. */
const nightsMax = 400;

/**
 * The first due time after a moment, that moment excluded. What falls within quiet hours is left out.
 * @returns null where there is none, also where each falls within quiet hours for more than a year
 */
export function nextDue({ time, quiet }: Timing, after: Date): Date | null {
  const following = time.type === "every" ? (from: Date) => nextMultiple(time.minutes, from) : cronTimes(time);
  let from = after;
  for (let night = 0; night < nightsMax; night++) {
    const due = following(from);
    if (due === null) return null;
    const end = quiet === null ? null : quietUntil(quiet, due);
    if (end === null) return due;
    // the end itself is no longer quiet, and a due time may fall on it
    from = new Date(Math.max(end.getTime() - 1, due.getTime()));
  }
  return null;
}

/** The next due times after a moment, no more than there are. */
export function dueTimes(timing: Timing, after: Date, count: number): Date[] {
  const times: Date[] = [];
  for (let from: Date | null = after; times.length < count;) {
    from = nextDue(timing, from);
    if (from === null) break;
    times.push(from);
  }
  return times;
}

/** Multiples of so many minutes since 1970-01-01 UTC: the same ones wherever they are asked for. */
function nextMultiple(minutes: number, after: Date): Date {
  const step = minutes * minuteMs;
  return new Date((Math.floor(after.getTime() / step) + 1) * step);
}

function cronTimes({ cron, time_zone: zone }: Extract<Timing["time"], { type: "cron" }>): (from: Date) => Date | null {
  const job = cronOf(cron, zone);
  return (from) => job.nextRun(from);
}
