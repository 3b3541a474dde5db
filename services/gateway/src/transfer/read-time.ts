const dayMs = 24 * 3_600_000;
const example = "2026-01-31T12:00:00Z";
/*
 * ISO 8601 as programs write it: JSON and SQL, with T or a space, with an offset (PostgreSQL leaves out its minutes), or without a
 * zone. Parsed by hand, because `Date.parse` turns 30 February into 2 March, and reads times without a known zone in the machine's own
 * zone.
 */
const form = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?: ?(Z|[+-]\d\d(?::?\d\d)?))?)?$/i;

/** A time of an import file, or what is wrong with it, in words that follow the field's name. */
export type ReadTime = { ok: true; ms: number } | { ok: false; fault: string };

const refused = (fault: string): ReadTime => ({ ok: false, fault });

/**
 * Reads a time: milliseconds since 1970, or a text. A text without a zone is UTC, as databases write it, whatever the machine's zone.
 * @param nowMs times up to a day later are accepted, for clocks that are fast
 */
export function readTime(value: string | number, nowMs: number): ReadTime {
  if (typeof value === "number") return inRange(value, nowMs, "");
  const parts = form.exec(value.trim());
  if (parts === null) return refused(`must be a time, as ${example}`);
  const [, year = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction = "", zone] = parts;
  if (Number(hour) === 24) return refused(`has the hour 24; write 00:00 of the day that begins then, as ${example}`);
  if (Number(second) === 60)
    return refused("has a leap second (60), which clocks do not count; write 59 or the second after it");
  const at = new Date(0);
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // a day that its month does not have would become one of the next month
  if (at.getUTCMonth() !== Number(month) - 1 || at.getUTCDate() !== Number(day))
    return refused(`has a day that is in no calendar (${year}-${month}-${day}); write a time as ${example}`);
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return refused(`has an hour, minute or second that is on no clock; write a time as ${example}`);
  const offset = offsetMs(zone);
  if (offset === null)
    return refused(`has an offset that is no time zone's (${zone ?? ""}); write one as +05:30, or Z`);
  at.setUTCHours(Number(hour), Number(minute), Number(second), Number(fraction.slice(0, 3).padEnd(3, "0")));
  return inRange(
    at.getTime() - offset,
    nowMs,
    zone === undefined ? "; it has no zone and is read as UTC, so write its offset, as +05:30" : "",
  );
}

/**
 * The offset of a zone in milliseconds; zones reach from -12:00 to +14:00.
 * @returns null where there is no such zone
 */
function offsetMs(zone: string | undefined): number | null {
  if (zone === undefined || zone.toUpperCase() === "Z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", "") || "0");
  if (minutes > 59 || hours * 60 + minutes > 14 * 60) return null;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/**
 * Checks that a time is neither before 1970 nor in the future.
 * @param hint what to do where it is too late
 */
function inRange(value: number, nowMs: number, hint: string): ReadTime {
  const ms = Math.floor(value);
  if (!Number.isFinite(ms)) return refused(`must be a time, as ${example}`);
  if (ms < 0) return refused("lies before 1970");
  if (ms > nowMs + dayMs) return refused(`lies in the future${hint}`);
  return { ok: true, ms };
}
