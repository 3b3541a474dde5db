/**
 * Characters that change the direction of text, are invisible, or end a line, and code points that XML does not allow: content of pages
 * must not influence how a message reads. Joiners (U+200C, U+200D) stay, as letters and emoji need them.
 */
const unseen = /(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}])+/gu;
/** A possible hyphenation point, which is invisible within a line. */
const softHyphen = "\u00ad";
/** What cutting leaves of a character of two code units, or of several joined characters. */
const half = /[\p{Cs}\u200c\u200d]+$/u;

/**
 * Returns a text of a page as one clean line for a message, shortened at its end.
 * @param max the most characters
 */
export function oneLine(text: string, max: number): string {
  const line = text
    .slice(0, max * 4)
    .replaceAll(softHyphen, "")
    .replace(unseen, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length > max
    ? `${line
        .slice(0, max - 1)
        .replace(half, "")
        .trimEnd()}…`
    : line;
}

/** Escapes text for HTML elements and quoted attributes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const linkMax = 1_000;

/** Returns an address in a form that is safe as a link; null when it is no web address, or too long. */
export function webLink(address: string): string | null {
  const url = address.length > linkMax ? null : URL.parse(address);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url.href : null;
}
