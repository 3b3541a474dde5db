import { formattedLines } from "./formatted-form.js";
import type { FormLines } from "./form-lines.js";

/**
 * The most pages that are cached: one comparison needs the form of the same page up to four times, and the next one in a
 * history needs that of the newer page again.
 */
const keptMax = 6;
const keptMaxChars = 8_000_000;

const kept = new Map<string, FormLines>();
let keptChars = 0;

/** Returns `formattedLines(html)`, from a cache of this thread where the page was formatted recently. */
export function keptFormattedLines(html: string): FormLines {
  const known = kept.get(html);
  if (known !== undefined) {
    // the most recently used entry goes last
    kept.delete(html);
    kept.set(html, known);
    return known;
  }
  const lines = formattedLines(html);
  if (html.length > keptMaxChars) return lines;
  kept.set(html, lines);
  keptChars += html.length;
  for (const oldest of kept.keys()) {
    if (kept.size <= keptMax && keptChars <= keptMaxChars) break;
    kept.delete(oldest);
    keptChars -= oldest.length;
  }
  return lines;
}
