import { formatNumber } from "../../texts/number.js";
import { counts, type Noun, t } from "../../texts/text.js";

/** Formats a count with thousands separators: 1,208. */
export const formatCount = (count: number): string => formatNumber(count);

/** Formats a count with its noun: "1 snapshot", "1,208 snapshots". */
export const counted = (count: number, noun: Noun, plural = `${noun}s`): string =>
  counts(count, `{n} ${noun}|{n} ${plural}`);

/** The end of a list that shows everything: "All 20 objects shown", "1 object shown". */
export const allShown = (count: number, noun: Noun): string => {
  const things = counted(count, noun);
  return count === 1 ? t("{things} shown", { things }) : t("All {things} shown", { things });
};

/** The end of a list that shows a part: "3 of 20 objects shown". */
export const someShown = (count: number, total: number, noun: Noun): string =>
  t("{count} of {things} shown", { count, things: counted(total, noun) });

/** The last two segments of a path: "/srv/data/assets" → "data/assets". Source: specification §2. */
export function lastTwoSegments(path: string): string {
  return path
    .split(/[\\/]+/)
    .filter((part) => part !== "")
    .slice(-2)
    .join("/");
}

/** An address for people: without its scheme, and without the slash of an empty path. */
export function shortUrl(url: string): string {
  return readable(url)
    .replace(/^https?:\/\//, "")
    .replace(/^([^/?#]+)\/$/, "$1");
}

/** Characters that are invisible, change the text's direction, or end a line: an address keeps their escapes. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]/u;

/**
 * Decodes an address for people: `/%C3%BCber` is `/über`. Escapes stay where decoding would make another address, or something
 * unreadable.
 */
export function readable(address: string): string {
  if (!address.includes("%")) return address;
  return address.replaceAll(/(?:%[89a-f][0-9a-f])+/gi, (escaped) => {
    try {
      const text = decodeURIComponent(escaped);
      return unseen.test(text) ? escaped : text;
    } catch {
      return escaped;
    }
  });
}

/** Path and query of a page for its site; the full address where its origin is another one. */
export function pathOf(url: string, siteUrl?: string): string {
  if (!URL.canParse(url)) return url;
  const page = new URL(url);
  if (siteUrl !== undefined && URL.canParse(siteUrl) && new URL(siteUrl).origin !== page.origin) return readable(url);
  return readable(`${page.pathname}${page.search}`);
}

/** Shortens a text in its middle, where paths differ least; the caller keeps the full text in a title. */
export function truncateMiddle(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const keep = Math.max(2, maxChars - 1);
  const tail = Math.ceil(keep * 0.55);
  return `${text.slice(0, keep - tail)}…${text.slice(text.length - tail)}`;
}

/** Removes the site's own origin from an address. */
export function withoutOrigin(url: string, siteUrl: string): string {
  const { origin } = new URL(siteUrl);
  return url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
}
