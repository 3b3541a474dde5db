/**
 * Characters that turn the direction of text, hide, or end a line, and those that are none and no XML may hold: content of pages has no say in how a message
 * reads. Joiners (U+200C, U+200D) are letters' and emoji's own.
 */
const unseen = /(?:(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}])+/gu;
/** A place where a word may be parted, which nobody sees within a line. */
const softHyphen = "\u00ad";
/** What a cut leaves of a character of two units, or of several that are joined. */
const half = /[\p{Cs}\u200c\u200d]+$/u;

/**
 * A text of a page as one line of a message, shortened in the middle of nothing: at its end.
 * @param max characters
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

/** For HTML, in elements and in quoted attributes. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const linkMax = 1_000;

/** An address as a link may have it; null for what is no address of the web, or a monster of one. */
export function webLink(address: string): string | null {
  const url = address.length > linkMax ? null : URL.parse(address);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:") ? url.href : null;
}
