import { isUtf8 } from "node:buffer";
import { decodeAs } from "./decode-as.js";
import { charsetLabel, charsetOf } from "./declared-charset.js";

/**
 * Text of a stylesheet.
 * @param contentType the Content-Type header, empty where there was none
 */
export function decodeCss(bytes: Uint8Array, contentType: string): string {
  return decodeAs(bytes, cssCharset(bytes, contentType));
}

/**
 * The charset of a stylesheet (CSS Syntax 3 §3.2): byte order mark, Content-Type, `@charset`; else UTF-8, or windows-1252 where the
 * bytes are not valid as that.
 * @param contentType the Content-Type header, empty where there was none
 */
export function cssCharset(bytes: Uint8Array, contentType: string): string {
  const label = charsetLabel(contentType);
  const declared = /^@charset "([\x20-\x21\x23-\x7e]{1,40})";/.exec(
    Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 60)).toString("latin1"),
  )?.[1];
  const marked =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : null;
  const named =
    marked ?? (label === null ? null : charsetOf(label)) ?? (declared === undefined ? null : charsetOf(declared));
  const charset = named ?? (isUtf8(bytes) ? "utf-8" : "windows-1252");
  // a label that could be read byte by byte is not UTF-16
  return marked === null && charset.startsWith("utf-16") ? "utf-8" : charset;
}
