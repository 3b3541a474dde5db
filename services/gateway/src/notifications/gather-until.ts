import type { Cadence } from "@web-tester/contracts/entities/notifications";
import { nextDue } from "@web-tester/watch/times/due-times";

/** The time until which a route gathers events for one message; null for one that is sent at once. */
export function gatherUntil(cadence: Cadence, now: Date): Date | null {
  switch (cadence.type) {
    case "at-once":
      return null;
    case "hourly":
      return nextDue({ time: { type: "every", minutes: 60 }, quiet: null }, now);
    case "daily":
      return nextDue({ time: cronAt(cadence.at, "*", cadence.time_zone), quiet: null }, now);
    case "weekly":
      return nextDue({ time: cronAt(cadence.at, String(cadence.day), cadence.time_zone), quiet: null }, now);
  }
}

function cronAt(at: string, day: string, zone: string) {
  const [hour = 0, minute = 0] = at.split(":").map(Number);
  return { type: "cron" as const, cron: `${minute} ${hour} * * ${day}`, time_zone: zone };
}
