import { isUtf8 } from "node:buffer";

/** A cache: a process meets few charsets, and a decoder costs more to make than to use. */
const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/**
 * Decodes stored bytes. The charset was decided when the page was loaded; invalid sequences become U+FFFD.
 * @param charset WHATWG name; null, or a name that no decoder knows, stands for UTF-8
 */
export function decodeAs(bytes: Uint8Array, charset: string | null): string {
  return decoderFor(charset ?? "utf-8").decode(bytes);
}

/**
 * Re-encodes stored bytes as UTF-8 of the text that `decodeAs` returns for them: equal texts give equal bytes. Most pages
 * are UTF-8 already, and checking that costs a fraction of decoding them.
 * @param charset as for `decodeAs`
 */
export function utf8As(bytes: Uint8Array, charset: string | null): Uint8Array {
  if (decoderFor(charset ?? "utf-8").encoding === "utf-8" && isPlainUtf8(bytes)) return bytes;
  return Buffer.from(decodeAs(bytes, charset), "utf8");
}

/** Whether bytes are valid UTF-8 without a byte order mark: decoding and encoding them as such gives them again. */
export function isPlainUtf8(bytes: Uint8Array): boolean {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return !hasMark && isUtf8(bytes);
}

function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  const known = decoders.get(charset);
  if (known !== undefined) return known;
  let decoder: InstanceType<typeof TextDecoder>;
  try {
    decoder = new TextDecoder(charset);
  } catch {
    decoder = new TextDecoder("utf-8");
  }
  decoders.set(charset, decoder);
  return decoder;
}
