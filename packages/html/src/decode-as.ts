/** Charset labels seldom change within a process, and a decoder costs more to make than to use. */
const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/**
 * Text of stored bytes. The charset was decided when the page was loaded; faulty sequences become U+FFFD.
 * @param charset WHATWG name; null, or a name no decoder knows, is read as UTF-8
 */
export function decodeAs(bytes: Uint8Array, charset: string | null): string {
  return decoderFor(charset ?? "utf-8").decode(bytes);
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
