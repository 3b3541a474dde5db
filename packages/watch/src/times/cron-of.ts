import { Cron } from "croner";

/**
 * A cron expression of five fields in a time zone. Where clocks are put forward, a time of day that is left out counts as the one right
 * behind the gap; where they are put back, a time that is there twice counts once, an interval goes on through both (croner's reading, held by
 * tests).
 * @throws Error with what is wrong, as croner says it
 */
export function cronOf(expression: string, timeZone: string): Cron {
  return new Cron(expression, { timezone: timeZone, mode: "5-part", paused: true });
}
