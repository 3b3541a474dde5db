import { AttributeReader } from "../tokenizer/attribute-reader.js";
import { characterCodes, endOfName, isLetter } from "../tokenizer/character-codes.js";
import { endOfRawText, endOfScript, rawTextElements } from "../tokenizer/raw-text.js";

const prescanBytes = 1_024;
/** The bytes of a head that are examined. */
const headMaxBytes = 256 * 1024;

/**
 * Returns the charset that a document declares. Its first 1,024 bytes are read by the prescan of WHATWG HTML §13.2.3.2:
 * `meta charset`, `meta http-equiv=content-type`, else the XML declaration. Where these say nothing, a `meta` further down
 * in its head counts, which changes the encoding once it is met (§13.2.3.4). Null where there is none or it is no charset.
 * UTF-16 labels count as UTF-8: a document whose meta element is readable byte by byte is not in UTF-16.
 */
export function declaredCharset(bytes: Uint8Array): string | null {
  const start = firstBytes(bytes, prescanBytes);
  const charset = metaCharset(start) ?? xmlCharset(start) ?? lateCharset(bytes);
  if (charset === null || charset.startsWith("utf-16")) return charset && "utf-8";
  return charset === "x-user-defined" ? "windows-1252" : charset;
}

function firstBytes(bytes: Uint8Array, count: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, count)).toString("latin1");
}

function lateCharset(bytes: Uint8Array): string | null {
  if (bytes.length <= prescanBytes) return null;
  const head = firstBytes(bytes, headMaxBytes);
  return /charset/i.test(head) ? metaCharset(head, beyondInHead) : null;
}

/** A cache by label: making a decoder to learn its name takes as long as reading a page's first bytes. */
const namesOfLabels = new Map<string, string | null>();
const labelsMax = 100;

/** Returns the WHATWG name of a charset label such as `latin1`; null where no decoder knows it. */
export function charsetOf(label: string): string | null {
  const known = namesOfLabels.get(label);
  if (known !== undefined) return known;
  const name = nameOf(label.trim());
  if (namesOfLabels.size >= labelsMax) namesOfLabels.clear();
  namesOfLabels.set(label, name);
  return name;
}

function nameOf(label: string): string | null {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

/**
 * Returns the label in a Content-Type's `charset` parameter or a meta element's content (WHATWG HTML §2.5.4); null where
 * there is none.
 */
export function charsetLabel(contentType: string): string | null {
  const match = /charset[\t\n\f\r ]{0,100}=[\t\n\f\r ]{0,100}(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r ;"']+))/i.exec(
    contentType,
  );
  return match === null ? null : (match[1] ?? match[2] ?? match[3] ?? null);
}

function xmlCharset(head: string): string | null {
  const label = /^(?:\xef\xbb\xbf)?<\?xml[\t\n\r ][^>]*?encoding[\t\n\r ]{0,100}=[\t\n\r ]{0,100}["']([^"']+)["']/.exec(
    head,
  )?.[1];
  return label === undefined ? null : charsetOf(label);
}

/** Elements of a head whose tags browsers skip in search of a `meta`. */
const headElements = new Set(["base", "link", "meta", "noscript", "object", "script", "style", "title"]);

/**
 * Returns the index after a tag, and after the text of an element that holds text only; -1 where the tag shows that the
 * head is over.
 */
function beyondInHead(head: string, name: string, isEndTag: boolean, end: number): number {
  if (!headElements.has(name) && (isEndTag || (name !== "html" && name !== "head"))) return -1;
  if (isEndTag || end === -1) return end;
  if (name === "script") return endOfScript(head, end);
  return rawTextElements.has(name) ? endOfRawText(head, end, name) : end;
}

/** @param beyond returns where to continue after a tag that ends at `end`; the prescan continues right there */
function metaCharset(head: string, beyond: typeof beyondInHead = (_head, _name, _isEndTag, end) => end): string | null {
  const codes = characterCodes(head);
  const attributes = new AttributeReader(head, codes);
  for (let at = head.indexOf("<"); at !== -1; at = head.indexOf("<", at)) {
    const next = codes[at + 1] ?? 0;
    if (head.startsWith("<!--", at)) at = after(head, "-->", at + 2);
    else if (next === 0x21 || next === 0x3f || (next === 0x2f && !isLetter(codes[at + 2] ?? 0)))
      at = after(head, ">", at + 1);
    else if (next === 0x2f || isLetter(next)) {
      const nameEnd = endOfName(codes, at + 2);
      const name = head.slice(at + 1, nameEnd).toLowerCase();
      attributes.begin(nameEnd);
      const found = name === "meta" ? charsetOfMeta(attributes) : null;
      if (found !== null) return found;
      at = beyond(head, name.replace("/", ""), name.startsWith("/"), attributes.skip(nameEnd));
    } else at += 1;
    if (at === -1) break;
  }
  return null;
}

function charsetOfMeta(attributes: AttributeReader): string | null {
  const values = attributes.collect(["charset", "http-equiv", "content"]);
  if (attributes.end === -1) return null;
  const charset = values.get("charset");
  if (charset !== undefined) return charsetOf(charset);
  if (values.get("http-equiv")?.toLowerCase() !== "content-type") return null;
  const label = charsetLabel(values.get("content") ?? "");
  return label === null ? null : charsetOf(label);
}

function after(text: string, what: string, from: number): number {
  const found = text.indexOf(what, from);
  return found === -1 ? -1 : found + what.length;
}
