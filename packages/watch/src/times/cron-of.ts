import { Cron } from "croner";
import { endOfGap, shownBy } from "./clock-gap.js";

/** A cron expression in a time zone. */
export interface CronTimes {
  /** The first time after a moment (exclusive); null when there is none. */
  nextRun(after: Date): Date | null;
}

/**
 * Parses a cron expression of five fields in a time zone. When clocks are put forward, a skipped time of day is due right after the gap;
 * when they are put back, a repeated time is due once. Lists and ranges are times of day too; an interval (with `*` or a step in its
 * minutes or hours) continues through both changes (croner's interpretation, which tests check).
 * @throws Error with croner's message
 */
export function cronOf(expression: string, timeZone: string): CronTimes {
  const inZone = read(expression, timeZone);
  if (isInterval(expression)) return { nextRun: (after) => inZone.nextRun(after) };
  const onClocks = read(expression, "UTC");
  return { nextRun: (after) => earlier(leftOut(onClocks, timeZone, after), inZone.nextRun(after)) };
}

const read = (expression: string, timeZone: string): Cron =>
  new Cron(expression, { timezone: timeZone, mode: "5-part", paused: true, fixedTimeRule: "no-wildcard" });

/** Whether an expression is an interval of minutes or hours, which has no times of day that could be skipped. */
function isInterval(expression: string): boolean {
  const [minutes = "", hours = ""] = expression.trim().split(/\s+/);
  return !minutes.startsWith("@") && /[*?/]/.test(minutes + hours);
}

/** If the next time of day lies in a gap, returns the gap's end, because croner skips a gap that ends on the next day (23:30 in Nuuk). */
function leftOut(onClocks: Cron, zone: string, after: Date): Date | null {
  const next = onClocks.nextRun(shownBy(zone, after));
  const end = next === null ? null : endOfGap(next, zone);
  return end !== null && end > after ? end : null;
}

const earlier = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other < one) ? other : one;
