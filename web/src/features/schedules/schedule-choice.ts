import type { ScheduleInput, ScheduleTime } from "@web-tester/contracts/entities/schedule";
import type { Label } from "../../texts/text.js";

/** How the form shows when a schedule is due: an interval, a time on some days of the week, or a cron expression. */
export interface TimeChoice {
  way: "every" | "at" | "cron";
  /** every: how many of the unit. */
  count: number;
  unit: keyof typeof unitMinutes;
  /** at: "09:30". */
  clock: string;
  /** at: days of the week, Sunday is 0; all seven are every day. */
  days: readonly number[];
  cron: string;
  zone: string;
}

const unitMinutes = { minutes: 1, hours: 60, days: 24 * 60 } as const;
export const dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;
const everyDay = [0, 1, 2, 3, 4, 5, 6];

/** The reader's time zone. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function firstChoice(): TimeChoice {
  return { way: "at", count: 6, unit: "hours", clock: "06:00", days: everyDay, cron: "0 6 * * *", zone: ownZone() };
}

/** Converts a time to what the form shows; anything beyond a time on days of the week stays an expression. */
export function choiceOf(time: ScheduleTime): TimeChoice {
  if (time.type === "every") return { ...firstChoice(), way: "every", ...countOf(time.minutes) };
  const { cron, time_zone: zone } = time;
  const simple = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-6](?:,[0-6])*)$/.exec(cron);
  if (simple === null) return { ...firstChoice(), way: "cron", cron, zone };
  const [, minute = "", hour = "", days = ""] = simple;
  return {
    ...firstChoice(),
    way: "at",
    clock: `${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`,
    days: days === "*" ? everyDay : days.split(",").map(Number),
    cron,
    zone,
  };
}

function countOf(minutes: number): Pick<TimeChoice, "count" | "unit"> {
  for (const unit of ["days", "hours"] as const)
    if (minutes % unitMinutes[unit] === 0) return { count: minutes / unitMinutes[unit], unit };
  return { count: minutes, unit: "minutes" };
}

/**
 * Converts what the form shows to a time.
 * @returns null where something is missing
 */
export function timeOf({ way, count, unit, clock, days, cron, zone }: TimeChoice): ScheduleTime | null {
  if (way === "every") return count >= 1 ? { type: "every", minutes: Math.round(count) * unitMinutes[unit] } : null;
  if (way === "cron") return cron.trim() === "" ? null : { type: "cron", cron: cron.trim(), time_zone: zone };
  const [hour, minute] = clock.split(":").map(Number);
  if (hour === undefined || minute === undefined || Number.isNaN(hour + minute) || days.length === 0) return null;
  const named = days.length === 7 ? "*" : days.toSorted((a, b) => a - b).join(",");
  return { type: "cron", cron: `${minute} ${hour} * * ${named}`, time_zone: zone };
}

export const workWords: Readonly<Record<ScheduleInput["work"], Label>> = {
  fetch: "Fetch all pages",
  "fetch-path": "Fetch pages of a path",
  crawl: "Crawl",
  sitemaps: "Crawl Sitemaps",
};
