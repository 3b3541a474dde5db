import type { ScheduleInput } from "@web-tester/contracts/entities/schedule";
import cronstrue from "cronstrue";

/** Describes when a schedule is due: “Every 15 minutes, not between 22:00 and 06:00 (Europe/Berlin)”. */
export function describeSchedule({ time, quiet, jitter_minutes: jitter }: ScheduleInput): string {
  const parts = [time.type === "every" ? everyWords(time.minutes) : `${cronWords(time.cron)} (${time.time_zone})`];
  if (quiet !== null) parts.push(`not between ${quiet.from} and ${quiet.until} (${quiet.time_zone})`);
  if (jitter > 0) parts.push(`up to ${jitter} ${jitter === 1 ? "minute" : "minutes"} later`);
  return parts.join(", ");
}

const units = [
  { minutes: 7 * 24 * 60, name: "week" },
  { minutes: 24 * 60, name: "day" },
  { minutes: 60, name: "hour" },
  { minutes: 1, name: "minute" },
];

function everyWords(minutes: number): string {
  const unit = units.find((one) => minutes % one.minutes === 0);
  if (unit === undefined) throw new Error(`no unit divides ${minutes} minutes`);
  const count = minutes / unit.minutes;
  return count === 1 ? `Every ${unit.name}` : `Every ${count} ${unit.name}s`;
}

/** Returns null for an expression that cronstrue has no words for. */
function wordsOf(cron: string): string | null {
  try {
    return cronstrue.toString(cron, { use24HourTimeFormat: true });
  } catch {
    return null;
  }
}

function cronWords(cron: string): string {
  const fields = cron.trim().split(/\s+/);
  const words = wordsOf(fields.join(" "));
  // croner knows more than cronstrue: “0 9 ? ? ?”, “0 9 1 * +MON”
  if (words === null) return `By the cron expression ${fields.join(" ")}`;
  const [, , day, month, weekday] = fields;
  const isDaily = [day, month, weekday].every((field) => field === "*" || field === "?");
  // “At 06:00” could be today only
  return isDaily ? words.replace(/^At /, "Every day at ") : words;
}
