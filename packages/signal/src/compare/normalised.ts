import { withoutOwn } from "./own-address.js";

/** Characters of one text in which numbers and ids are replaced; the rest counts as it is. */
export const normalisedMax = 20_000;

/** Matches numbers in the digits of any script, such as Arabic, Persian and Indian ones. */
export const digits = /\p{Nd}+/gu;

export const anyDigit = /\p{Nd}/u;

/** Matches numbers of several parts, such as versions and the ids that generators of documentation make of chapter and section. */
const numberings = /(?<!\p{Nd})\p{Nd}+(?:[._-]\p{Nd}+){2,}/gu;

/** Matches the way up with which an address in an attribute, or in brackets behind the text of its link, begins. */
const waysUp = /(["'(])(?:\.\.\/)+/g;

/** Replaces numbers, ids, the page's own address and the way up to a file that many pages share, which differ from page to page. */
export function normalised(text: string, path: string): string {
  const known = withoutIds(text.slice(0, normalisedMax), path).replaceAll(waysUp, "$1");
  const plain = anyDigit.test(known) ? known.replaceAll(numberings, "#").replaceAll(digits, "#") : known;
  return plain.replaceAll(/\s+/g, " ").trim();
}

export function withoutIds(text: string, path: string): string {
  const other = withoutOwn(text, path);
  // all ids have digits, and most texts have none
  if (!anyDigit.test(other)) return other;
  return other
    .replaceAll(quoted, (value, _quote, inside: string) => (isRandom(inside) ? '"#"' : value))
    .replaceAll(uuids, "#")
    .replaceAll(hashes, "#");
}

/** Matches hashes with at least one letter: digits alone may be a telephone number, which people see. */
const hashes = /\b(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{8,}\b/gi;

const uuids = /(?<![0-9a-z])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![0-9a-z])/gi;
/** Matches a quoted value that could be base64; where a tag was cut off, the closing quote may be missing. */
const quoted = /(["'])([A-Za-z0-9+/_-]{20,})={0,2}(?:\1|$)/g;

/** Returns the ranges of ids and numbers of several parts in a line, quotes included. */
export function idsIn(text: string): [number, number][] {
  if (!anyDigit.test(text)) return [];
  const values = [...text.matchAll(quoted)].filter(([, , inside = ""]) => isRandom(inside));
  const found = [...text.matchAll(uuids), ...values, ...text.matchAll(numberings)];
  return found.map(({ index, 0: id }) => [index, index + id.length]);
}

/**
 * Whether a text is random: capitals, small letters and digits alternate at two of three characters of a random text, at
 * few of a name or a path. Of random texts of 22 characters, one in twenty-five is not recognised.
 */
function isRandom(text: string): boolean {
  const turns = text.match(/[A-Z](?=[a-z0-9])|[a-z](?=[A-Z0-9])|\d(?=[A-Za-z])/g)?.length ?? 0;
  return turns >= text.length * 0.33 && /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text);
}
