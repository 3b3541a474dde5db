import { formattedLines } from "./formatted-form.js";
import type { FormLines } from "./form-lines.js";

/** One comparison asks for the form of the same page up to four times, and the next one of a history for that of the page that was the newer one. */
const keptMax = 6;
const keptMaxChars = 8_000_000;

const kept = new Map<string, FormLines>();
let keptChars = 0;

/** As `formattedLines`; what was formatted lately in this thread is not formatted again. */
export function keptFormattedLines(html: string): FormLines {
  const known = kept.get(html);
  if (known !== undefined) {
    // the one that was used last goes last
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
