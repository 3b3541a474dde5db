import { decodeAs } from "./decode-as.js";

/**
 * Encodes a link as a browser does in a page of some charset: characters beyond ASCII in its query are percent-encoded as
 * bytes of that charset (URL Standard, "query state"), not of UTF-8 as in the rest of the URL. Characters that the charset
 * lacks become `&#…;`, as in forms.
 * @param href as written in the page, character references decoded
 * @param charset as for `decodeAs`
 */
export function encodeQuery(href: string, charset: string | null): string {
  const from = charset === null || isUnicode(charset) ? -1 : href.indexOf("?");
  if (charset === null || from === -1) return href;
  const fragment = href.indexOf("#");
  if (fragment !== -1 && fragment < from) return href;
  const to = fragment === -1 ? href.length : fragment;
  const query = href.slice(from, to);
  if (!/[^\0-\x7f]/.test(query)) return href;
  const bytes = encoderOf(charset);
  const encoded = query.replaceAll(
    /[^\0-\x7f]/gu,
    (letter) => bytes.get(letter) ?? `%26%23${letter.codePointAt(0) ?? 0}%3B`,
  );
  return href.slice(0, from) + encoded + href.slice(to);
}

/** Whether queries are left in UTF-8. ISO-2022-JP has states, which no table can hold, so it is treated like UTF-8. */
const isUnicode = (charset: string) => /^(?:utf-|iso-2022-jp$|replacement$|x-user-defined$)/.test(charset);

/** Percent-encoded bytes by character. */
type Encoder = ReadonlyMap<string, string>;
const encoders = new Map<string, Encoder>();

function encoderOf(charset: string): Encoder {
  const known = encoders.get(charset);
  if (known !== undefined) return known;
  const encoder = makeEncoder(charset);
  encoders.set(charset, encoder);
  return encoder;
}

/**
 * The first byte of the range that begins two-byte characters, and lead bytes that the standard's encoders never write, as
 * other bytes encode the same characters.
 */
const leads: Readonly<Record<string, { from: number; not?: readonly number[] }>> = {
  shift_jis: { from: 0x81, not: [0xed, 0xee] },
  "euc-jp": { from: 0x8e },
  gbk: { from: 0x81 },
  gb18030: { from: 0x81 },
  big5: { from: 0xa1 },
  "euc-kr": { from: 0x81 },
};
/** Characters that Big5 has twice, of which the second encoding is written (Encoding Standard §5). */
const secondOfBig5 = new Set("═╞╡╪十卅");

/** Inverts the decoder: the first bytes that decode to a character are its encoding. */
function makeEncoder(charset: string): Encoder {
  const candidates: number[][] = [];
  for (let byte = 0x80; byte <= 0xff; byte += 1) candidates.push([byte]);
  const { from, not = [] } = leads[charset] ?? { from: 0x100 };
  for (let lead = from; lead <= 0xfe; lead += 1)
    if (!not.includes(lead)) for (let trail = 0x40; trail <= 0xfe; trail += 1) candidates.push([lead, trail]);
  // decoded in one call, which takes a fifth of the time: no character continues after a line end
  const newline = 0x0a;
  const letters = decodeAs(Uint8Array.from(candidates.flatMap((bytes) => [...bytes, newline])), charset).split("\n");
  const encoder = new Map<string, string>();
  for (const [index, bytes] of candidates.entries()) {
    const letter = letters[index] ?? "";
    if (letter.length !== 1 || letter < "\x80" || letter === "\ufffd") continue;
    if (encoder.has(letter) && !(charset === "big5" && secondOfBig5.has(letter))) continue;
    encoder.set(letter, bytes.map(percent).join(""));
  }
  return encoder;
}

const percent = (byte: number) => (byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase()}`);
