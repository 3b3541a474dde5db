import { sniffCharset } from "@web-tester/html/charset/decode";
import { looksBinary } from "@web-tester/html/charset/is-html";

/**
 * Returns the character set to decode HTML bytes by, and a warning about odd labels; a null charset means that the bytes
 * are no text.
 */
export function inspectText(
  bytes: Buffer,
  contentType: string | null,
): { charset: string | null; warning: string | null } {
  if (bytes.length === 0) return { charset: "utf-8", warning: "The page is empty: the server sent no bytes." };
  return looksBinary(bytes) ? { charset: null, warning: null } : sniffCharset(bytes, contentType);
}
