import { isUtf8 } from "node:buffer";
import { decodeAs } from "./decode-as.js";
import { charsetLabel, charsetOf, declaredCharset } from "./declared-charset.js";

/** The charset that a document is to be decoded with, and a warning about its labels. */
export interface SniffedCharset {
  /** WHATWG name in lower case, such as `utf-8` or `windows-1252`; `decodeAs` takes it. */
  charset: string;
  /** A sentence on what is wrong with the document's labels and what was done; null where nothing is. */
  warning: string | null;
}

/**
 * Decodes an HTML document as a browser would.
 * @param contentType the Content-Type header, null where there was none
 */
export function decodeHtml(bytes: Uint8Array, contentType: string | null): SniffedCharset & { text: string } {
  const sniffed = sniffCharset(bytes, contentType);
  return { ...sniffed, text: decodeAs(bytes, sniffed.charset) };
}

/**
 * Returns the charset of an HTML document (WHATWG HTML §13.2.3.2): byte order mark, Content-Type, `meta` or XML
 * declaration; without any, UTF-16 where every other byte at the start is NUL, UTF-8 where the bytes are valid as such,
 * else windows-1252.
 *
 * One thing differs from browsers: bytes that claim to be UTF-8 and mostly are not are read by the other label, or as
 * windows-1252, because U+FFFD for every letter would make all snapshots of such a page alike.
 */
export function sniffCharset(bytes: Uint8Array, contentType: string | null): SniffedCharset {
  const mark = byteOrderMark(bytes);
  if (mark !== null) return { charset: mark, warning: null };
  const label = charsetLabel(contentType ?? "");
  const fromHeader = label === null ? null : charsetOf(label);
  const fromDocument = declaredCharset(bytes);
  const declared = fromHeader ?? fromDocument;
  if (declared === null)
    return { charset: guess(bytes), warning: label === null ? null : unknownLabel(label, guess(bytes)) };
  const where = fromHeader === null ? "The page" : "The server";
  if (declared === "utf-8") return checkUtf8(bytes, where, fromDocument === "utf-8" ? null : fromDocument);
  if (label !== null && fromHeader === null) return { charset: declared, warning: unknownLabel(label, declared) };
  return {
    charset: declared,
    warning: looksLikeUtf8(bytes)
      ? `${where} says the text is in ${declared}, but it is valid UTF-8. It was read as ${declared}, as browsers do; correct the label.`
      : null,
  };
}

function checkUtf8(bytes: Uint8Array, where: string, other: string | null): SniffedCharset {
  if (isUtf8(bytes)) return { charset: "utf-8", warning: null };
  const { valid, faulty } = countUtf8(bytes);
  if (valid >= faulty)
    return {
      charset: "utf-8",
      warning: `${where} says the text is in UTF-8, but ${faulty} ${faulty === 1 ? "place is" : "places are"} not. They show as \uFFFD; repair the page.`,
    };
  const charset = other ?? guess(bytes);
  return {
    charset,
    warning: `${where} says the text is in UTF-8, but it is not. It was read as ${charset}; correct the label.`,
  };
}

function unknownLabel(label: string, charset: string): string {
  return `The server names the charset "${label.slice(0, 40)}", which does not exist. The text was read as ${charset}; correct the Content-Type.`;
}

function byteOrderMark(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return "utf-8";
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  return bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
}

function guess(bytes: Uint8Array): string {
  return utf16WithoutMark(bytes) ?? (isUtf8(bytes) ? "utf-8" : "windows-1252");
}

/** Detects UTF-16 without a byte order mark: text of mostly ASCII markup has a NUL in every other byte. */
export function utf16WithoutMark(bytes: Uint8Array): "utf-16le" | "utf-16be" | null {
  const pairs = Math.min(bytes.length >> 1, 256);
  let even = 0;
  let odd = 0;
  for (let index = 0; index < pairs; index += 1) {
    if (bytes[index * 2] === 0) even += 1;
    if (bytes[index * 2 + 1] === 0) odd += 1;
  }
  if (pairs < 2) return null;
  if (odd > pairs * 0.7 && even < pairs * 0.1) return "utf-16le";
  return even > pairs * 0.7 && odd < pairs * 0.1 ? "utf-16be" : null;
}

/** Whether bytes are valid UTF-8 beyond ASCII, which text in another charset practically never is. */
function looksLikeUtf8(bytes: Uint8Array): boolean {
  return bytes.some((byte) => byte >= 0x80) && isUtf8(bytes);
}

/** Counts the valid characters beyond ASCII, and the faults. */
function countUtf8(bytes: Uint8Array): { valid: number; faulty: number } {
  const text = decodeAs(bytes, "utf-8");
  let valid = 0;
  let faulty = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0xfffd) faulty += 1;
    else if (code >= 0x80) valid += 1;
  }
  return { valid, faulty };
}
