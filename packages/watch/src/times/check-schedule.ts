import type { ScheduleInput } from "@web-tester/contracts/entities/schedule";
import { type CodedFault, codedFault } from "@web-tester/contracts/faults";
import { cronFault } from "./cron-fault.js";
import { nextDue } from "./due-times.js";

/** Returns which field of a schedule is wrong, and why, in words for its author; null when it is valid. */
export function checkSchedule(spec: ScheduleInput, now: Date): ({ field: string } & CodedFault) | null {
  const { time, quiet } = spec;
  if (spec.work === "fetch-path" && spec.path === "") return { field: "path", ...codedFault("path_missing") };
  if (time.type === "cron") {
    const fault = cronFault(time.cron, time.time_zone, now);
    if (fault !== null) return { field: "time.cron", ...fault };
  }
  if (quiet !== null && nextDue(spec, now) === null)
    return { field: "quiet", ...codedFault("always_quiet", { from: quiet.from, until: quiet.until }) };
  return null;
}
