import type { QuietHours } from "@web-tester/contracts/entities/schedule";
import { cronOf } from "./cron-of.js";

/**
 * Returns when the quiet hours that a moment lies in end.
 * @returns null if it lies in none; hours from a time of day until the same time are the whole day
 */
export function quietUntil({ from, until, time_zone: zone }: QuietHours, at: Date): Date | null {
  const now = minuteOfDay(at, zone);
  const [start, end] = [minutesOf(from), minutesOf(until)];
  const isWithin = start < end ? now >= start && now < end : now >= start || now < end;
  if (!isWithin) return null;
  // when clocks are put back, a time of day occurs twice, and a cron expression means its first occurrence: the second one ends these hours too
  const near = new Date(
    (Math.floor(at.getTime() / minuteMs) + ((end - now + dayMinutes) % dayMinutes || dayMinutes)) * minuteMs,
  );
  return minuteOfDay(near, zone) === end ? near : cronOf(`${end % 60} ${Math.floor(end / 60)} * * *`, zone).nextRun(at);
}

const minuteMs = 60_000;
const dayMinutes = 24 * 60;

function minutesOf(timeOfDay: string): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(":").map(Number);
  return hours * 60 + minutes;
}

function minuteOfDay(at: Date, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" }).format(at);
  return minutesOf(parts);
}
