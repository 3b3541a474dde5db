/**
 * Returns a copy of the beginning of a text, for texts that are remembered. A part of a text keeps the whole alive in V8: a content type
 * would keep the 64 KiB that it was read from, and a record of an archive can make it as long.
 */
export function ownText(text: string, maxChars: number): string {
  return Buffer.from(text.slice(0, maxChars), "utf8").toString("utf8");
}
