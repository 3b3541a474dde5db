import type { ScheduleInput } from "@web-tester/contracts/entities/schedule";
import { cronOf } from "./cron-of.js";
import { nextDue } from "./due-times.js";

/** Returns which field of a schedule is wrong, and why, in words for its author; null when it is valid. */
export function checkSchedule(spec: ScheduleInput, now: Date): { field: string; message: string } | null {
  const { time, quiet } = spec;
  if (spec.work === "fetch-path" && spec.path === "")
    return { field: "path", message: "Say which pages it fetches: a path such as /shop/*" };
  if (time.type === "cron") {
    const fault = cronFault(time.cron, time.time_zone, now);
    if (fault !== null) return { field: "time.cron", message: fault };
  }
  if (quiet !== null && nextDue(spec, now) === null)
    return {
      field: "quiet",
      message: `Each of its times falls within the quiet hours from ${quiet.from} until ${quiet.until}`,
    };
  return null;
}

function cronFault(cron: string, zone: string, now: Date): string | null {
  const fields = cron.split(/\s+/).length;
  if (!cron.startsWith("@") && fields !== 5)
    return `A cron expression has five fields (minute, hour, day, month, day of the week), this one has ${fields}`;
  try {
    return cronOf(cron, zone).nextRun(now) === null ? "There is no such day: it would never be due" : null;
  } catch (error) {
    return `This is no cron expression: ${wordsOf(error)}`;
  }
}

/** Returns croner's words for a fault, as part of a sentence. It counts days and months from 0. */
function wordsOf(error: unknown): string {
  const said = error instanceof Error ? error.message.replace(/^Cron\w*: ?/, "") : String(error);
  return said
    .replace(/\.$/, "")
    .replace(
      /^(Invalid value for (?:day|month): )(\d+)$/,
      (_, words: string, value: string) => words + (Number(value) + 1),
    );
}
