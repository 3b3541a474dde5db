import type { Label } from "../../texts/text.js";

const dayMs = 86_400_000;

/** The choices for when a token ends. */
export const endPresets = [
  { value: "7", label: "In 7 days" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a day…" },
  { value: "never", label: "When it is revoked" },
] as const satisfies readonly { value: string; label: Label }[];
export type EndPreset = (typeof endPresets)[number]["value"];

/**
 * Converts a choice to a moment; null: no end.
 * @param day as date fields write it, "2030-01-31": the end of that day in the reader's zone
 * @returns undefined where the day is invalid, or has passed
 */
export function endOf(preset: EndPreset, day: string, nowMs: number): string | null | undefined {
  if (preset === "never") return null;
  if (preset !== "date") return new Date(nowMs + Number(preset) * dayMs).toISOString();
  const end = new Date(`${day}T23:59:59`).getTime();
  return Number.isNaN(end) || end <= nowMs ? undefined : new Date(end).toISOString();
}
