import { readTime } from "../read-time.js";

/** Parses the field WARC-Date (ISO 28500 §5.4), which may leave out the end of a time: then it begins there. */
const shortDate = /^(\d{4})(?:-(\d\d))?$/;
const stamp = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)\d*$/;
/** The date of mails and of HTTP, which has a zone. */
const httpDate = /^[a-z]{3}, .+ (?:GMT|UTC|[+-]\d{4})$/i;

/**
 * Parses a time of a web archive. One without a zone is UTC, as in every other import, and not of the gateway's zone.
 * @returns milliseconds since 1970; null where it is no time, or one before 1970
 */
export function timeOfRecord(field: string): number | null {
  const text = field.trim();
  const [, year, month = "01"] = shortDate.exec(text) ?? [];
  if (year !== undefined) return msOf(`${year}-${month}-01`);
  if (stamp.test(text)) return timeOfStamp(text);
  const ms = httpDate.test(text) ? Date.parse(text) : null;
  return ms === null ? msOf(text) : ms >= 0 ? ms : null;
}

/**
 * Parses the 14-digit time of web archives' indexes.
 * @returns null where it is no time
 */
export function timeOfStamp(text: string): number | null {
  const [, year, month, day, hour, minute, second] = stamp.exec(text) ?? [];
  return year === undefined ? null : msOf(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}

function msOf(text: string): number | null {
  const read = readTime(text, Infinity);
  return read.ok ? read.ms : null;
}
