const minuteMs = 60_000;
/** No time zone changes its clocks twice within this time. */
const aroundMs = 24 * 60 * minuteMs;

/** Returns what clocks in a time zone show at a moment, as a date in UTC. */
export function shownBy(zone: string, at: Date): Date {
  const parts = formatOf(zone).formatToParts(at);
  const of = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value);
  return new Date(Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"), of("second")));
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const whole = { year: "numeric", month: "numeric", day: "numeric" } as const;
  const clock = { hour: "numeric", minute: "numeric", second: "numeric", hourCycle: "h23" } as const;
  const made = new Intl.DateTimeFormat("en-US", { timeZone: zone, ...whole, ...clock });
  formats.set(zone, made);
  return made;
}

/**
 * Returns the moment at which clocks are put forward over (skip) a time of day.
 * @param shown the skipped time of day, as a date in UTC
 * @returns null when clocks do show that time
 */
export function endOfGap(shown: Date, zone: string): Date | null {
  const ahead = (at: number) => shownBy(zone, new Date(at)).getTime() - at;
  const before = ahead(shown.getTime() - aroundMs);
  const behind = ahead(shown.getTime() + aroundMs);
  // in a gap, the old offset gives a moment after the change, and the new offset one before it
  let late = shown.getTime() - before;
  let early = shown.getTime() - behind;
  if (early >= late || ahead(late) === before || ahead(early) === behind) return null;
  while (late - early > minuteMs) {
    const middle = early + Math.floor((late - early) / 2 / minuteMs) * minuteMs;
    if (ahead(middle) === before) early = middle;
    else late = middle;
  }
  return new Date(late);
}
