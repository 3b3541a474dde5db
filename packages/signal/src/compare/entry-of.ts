import { createHash } from "node:crypto";
import type { DiffLine } from "@web-tester/diff/hunks/hunks";

/**
 * Returns a number from the words, links and pictures of lines with a link; 0 where they have none, or are so short that other pages have
 * them by chance. Other attributes hang on the place: the first pictures of a page are loaded at once, the link to the page itself is marked.
 */
export function entryOf(lines: readonly DiffLine[]): number {
  if (!lines.some(({ text }) => /\bhref\s*=/i.test(text))) return 0;
  const seen = lines
    .map(({ text }) => text.replaceAll(/<[^<>]*>/g, (tag) => `<${(tag.match(addressIn) ?? []).join("")}>`).trim())
    .join("\n");
  return seen.length < entryMinChars
    ? 0
    : Number.parseInt(createHash("sha256").update(seen).digest("hex").slice(0, 12), 16);
}

/** Matches an attribute that leads to something else. */
const addressIn = /\s(?:href|src)\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+)/gi;

const entryMinChars = 40;
