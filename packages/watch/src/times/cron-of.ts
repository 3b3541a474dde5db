import { Cron } from "croner";
import { endOfGap, shownBy } from "./clock-gap.js";

/** A cron expression in a time zone. */
export interface CronTimes {
  /** The first time after a moment, that moment excluded; null where there is none. */
  nextRun(after: Date): Date | null;
}

/**
 * A cron expression of five fields in a time zone. Where clocks are put forward, a time of day that is left out counts as the one right
 * behind the gap; where they are put back, a time that is there twice counts once. Lists and ranges are times of day too; an interval (with `*` or a
 * step in its minutes or hours) goes on through both (croner's reading, held by tests).
 * @throws Error with what is wrong, as croner says it
 */
export function cronOf(expression: string, timeZone: string): CronTimes {
  const inZone = read(expression, timeZone);
  if (isInterval(expression)) return { nextRun: (after) => inZone.nextRun(after) };
  const onClocks = read(expression, "UTC");
  return { nextRun: (after) => earlier(leftOut(onClocks, timeZone, after), inZone.nextRun(after)) };
}

const read = (expression: string, timeZone: string): Cron =>
  new Cron(expression, { timezone: timeZone, mode: "5-part", paused: true, fixedTimeRule: "no-wildcard" });

/** Whether it counts on by minutes or hours, and has no times of day that could be left out. */
function isInterval(expression: string): boolean {
  const [minutes = "", hours = ""] = expression.trim().split(/\s+/);
  return !minutes.startsWith("@") && /[*?/]/.test(minutes + hours);
}

/** Where the next time of day on the clock lies in a gap: its end, as croner leaves out a gap that ends on the next day (23:30 in Nuuk). */
function leftOut(onClocks: Cron, zone: string, after: Date): Date | null {
  const next = onClocks.nextRun(shownBy(zone, after));
  const end = next === null ? null : endOfGap(next, zone);
  return end !== null && end > after ? end : null;
}

const earlier = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other < one) ? other : one;
