const clock = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});

/**
 * Formats the time of a line as `23:40:58.702` in the reader's time zone.
 * @param ts milliseconds since 1970
 */
export const lineTime = (ts: number): string => clock.format(ts);
