/** Characters that turn the direction of text, hide, or end a line, and those that are none and no XML may hold: content of pages has no say in how a message reads. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]+/gu;
/** What a cut leaves of a character of two units. */
const half = /\p{Cs}$/u;

/**
 * A text of a page as one line of a message, shortened in the middle of nothing: at its end.
 * @param max characters
 */
export function oneLine(text: string, max: number): string {
  const line = text
    .slice(0, max * 4)
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
