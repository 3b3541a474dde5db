import type { RunDay } from "@web-tester/contracts/entities/run";

/** The last days in the reader's time zone, today last, as `2026-11-24`. */
export function lastDays(count: number, today: Date): string[] {
  const two = (value: number) => String(value).padStart(2, "0");
  return Array.from({ length: count }, (_, index) => {
    // noon is on the same day even where clocks change at night
    const day = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - index), 12);
    return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  });
}

/** How a day is shown: by the worst that happened on it. */
export function toneOf(day: RunDay | undefined): "none" | "quiet" | "changed" | "failed" {
  if (day === undefined) return "none";
  if (day.failed > 0) return "failed";
  return day.changed > 0 ? "changed" : "quiet";
}
