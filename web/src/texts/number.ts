import { locale } from "./language.js";

const formats = new Map<string, Intl.NumberFormat>();

/** A number as the reader writes it: 1,208 or 1.208. @param decimals digits after the point, always that many */
export function formatNumber(value: number, decimals = 0): string {
  const key = `${locale()} ${decimals}`;
  const format =
    formats.get(key) ??
    new Intl.NumberFormat(locale(), { minimumFractionDigits: decimals, maximumFractionDigits: Math.max(decimals, 0) });
  formats.set(key, format);
  return format.format(value);
}
