import { formatNumber } from "../../texts/number.js";

const units = ["B", "KB", "MB", "GB", "TB"] as const;

/**
 * Formats a size for people, in steps of 1024: one decimal under 10 unless it is bytes, "-" where it is not a size. Source:
 * specification §5 and §9.
 */
export function formatBytes(bytes: number | null | undefined): string {
  if (typeof bytes !== "number" || !Number.isFinite(bytes) || bytes < 0) return "-";
  let value = bytes;
  let unit = 0;
  // 1023.5 KB would be printed as "1024 KB": use the next unit as soon as rounding reaches it.
  while (Math.round(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const decimals = unit > 0 && value < 9.95 ? 1 : 0;
  return `${formatNumber(value, decimals)} ${units[unit]}`;
}
