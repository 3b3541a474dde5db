import { locale } from "./language.js";

const formats = new Map<string, Intl.NumberFormat>();

/**
 * Formats a number as the reader writes it: 1,208 or 1.208.
 * @param decimals always that many, and without thousands separators: 1023.5
 */
export function formatNumber(value: number, decimals?: number): string {
  const tag = locale();
  const key = `${tag} ${decimals}`;
  const digits =
    decimals === undefined
      ? {}
      : { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false };
  const format = formats.get(key) ?? new Intl.NumberFormat(tag, digits);
  formats.set(key, format);
  return format.format(value);
}
