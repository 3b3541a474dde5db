import { language } from "../../texts/language.js";
import { formatNumber } from "../../texts/number.js";
import { once } from "../../texts/once.js";
import { t } from "../../texts/text.js";

const two = (value: number): string => String(value).padStart(2, "0");

/** Formats a moment as dd.mm.yyyy hh:mm in the reader's time zone; "-" where it is not a date. Source: specification §9. */
export function formatDate(moment: string | number | Date | null | undefined): string {
  if (moment === null || moment === undefined || moment === "") return "-";
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return "-";
  return `${two(date.getDate())}.${two(date.getMonth() + 1)}.${String(date.getFullYear()).padStart(4, "0")} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Formats a duration: "412 ms", "30.0 s", "4 min 12 s"; "-" where it is not a duration. */
export function formatDuration(ms: number | null | undefined): string {
  if (typeof ms !== "number" || !Number.isFinite(ms) || ms < 0) return "-";
  if (ms < 1000) return t("{ms} ms", { ms: Math.round(ms) });
  if (ms < 59_950) return `${formatNumber(ms / 1000, 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600)
    return t("{minutes} min {seconds} s", { minutes: Math.floor(seconds / 60), seconds: seconds % 60 });
  return t("{hours} h {minutes} min", {
    hours: Math.floor(seconds / 3600),
    minutes: Math.floor((seconds % 3600) / 60),
  });
}

/** Estimates the remaining time in words from the work done so far; undefined while that would be a guess. */
export function formatRemaining(done: number, total: number, elapsedMs: number): string | undefined {
  if (elapsedMs < 2000 || done <= 0 || done >= total) return undefined;
  const seconds = ((total - done) * elapsedMs) / done / 1000;
  if (seconds < 50) return t("About {seconds} s left", { seconds: Math.max(5, Math.ceil(seconds / 5) * 5) });
  if (seconds < 90 * 60) return t("About {minutes} min left", { minutes: Math.round(seconds / 60) || 1 });
  return t("About {hours} h left", { hours: Math.round(seconds / 3600) });
}

/** Formats with the zone's name, by the offset from UTC: when a computer travels, the zone and its name change. */
const zones = once(() => new Intl.DateTimeFormat("en-GB", { timeZoneName: "short" }));

/** Formats a moment with its seconds and time zone: "24.11.2026 12:03:07 GMT+1". */
export function formatExactly(moment: string | number | Date): string {
  const date = new Date(moment);
  const zone = zones(String(date.getTimezoneOffset()))
    .formatToParts(date)
    .find(({ type }) => type === "timeZoneName")?.value;
  return `${formatDate(date)}:${two(date.getSeconds())}${zone === undefined ? "" : ` ${zone}`}`;
}

const units = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Formats like "3 hours ago" and "yesterday", by language. */
export const relativeTimes = once((tag) => new Intl.RelativeTimeFormat(tag, { numeric: "auto" }));

/** Formats how long ago, or in how long, in the largest unit: "3 hours ago", "yesterday", "just now". */
export function formatRelative(moment: string | number | Date, nowMs: number): string {
  const seconds = (new Date(moment).getTime() - nowMs) / 1_000;
  const unit = units.find(([, size]) => Math.abs(seconds) >= size);
  return unit === undefined ? t("just now") : relativeTimes(language()).format(Math.trunc(seconds / unit[1]), unit[0]);
}
