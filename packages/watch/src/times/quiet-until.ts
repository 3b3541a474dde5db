import type { QuietHours } from "@web-tester/contracts/entities/schedule";
import { cronOf } from "./cron-of.js";

/**
 * When the quiet hours end that a moment lies in.
 * @returns null where it lies in none; hours from a time of day until the same one are the whole day
 */
export function quietUntil({ from, until, time_zone: zone }: QuietHours, at: Date): Date | null {
  const now = minuteOfDay(at, zone);
  const [start, end] = [minutesOf(from), minutesOf(until)];
  const isWithin = start < end ? now >= start && now < end : now >= start || now < end;
  return isWithin ? cronOf(`${end % 60} ${Math.floor(end / 60)} * * *`, zone).nextRun(at) : null;
}

function minutesOf(timeOfDay: string): number {
  const [hours = 0, minutes = 0] = timeOfDay.split(":").map(Number);
  return hours * 60 + minutes;
}

function minuteOfDay(at: Date, zone: string): number {
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" }).format(at);
  return minutesOf(parts);
}
