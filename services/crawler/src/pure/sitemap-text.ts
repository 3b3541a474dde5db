/**
 * Decodes the bytes of a sitemap to text as they arrive. The encoding is that of a byte order mark, else UTF-16 where zero
 * bytes show it, else what the XML declaration names, else UTF-8. Invalid sequences become U+FFFD.
 */
export class SitemapText {
  #head: Uint8Array | null = new Uint8Array();
  #decoder = new TextDecoder();

  write(bytes: Uint8Array): string {
    if (this.#head === null) return this.#decoder.decode(bytes, { stream: true });
    this.#head = Buffer.concat([this.#head, bytes]);
    return this.#head.length < headBytes ? "" : this.#begin(this.#head);
  }

  end(): string {
    return (this.#head === null ? "" : this.#begin(this.#head)) + this.#decoder.decode();
  }

  #begin(head: Uint8Array): string {
    this.#head = null;
    this.#decoder = decoderOf(head);
    return this.#decoder.decode(head, { stream: true });
  }
}

/** Enough for a byte order mark, some white space and an XML declaration. */
const headBytes = 256;

function decoderOf(head: Uint8Array): InstanceType<typeof TextDecoder> {
  if (starts(head, 0xff, 0xfe) || starts(head, 0x3c, 0x00)) return new TextDecoder("utf-16le");
  if (starts(head, 0xfe, 0xff) || starts(head, 0x00, 0x3c)) return new TextDecoder("utf-16be");
  const declared = /^(?:\xef\xbb\xbf)?\s{0,100}<\?xml[^>]{0,150}?\sencoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})["']/.exec(
    Buffer.from(head).toString("latin1"),
  )?.[1];
  // a declaration that is readable byte by byte is not in UTF-16, whatever it says
  if (declared === undefined || /^utf-?16/i.test(declared)) return new TextDecoder();
  try {
    return new TextDecoder(declared);
  } catch {
    return new TextDecoder();
  }
}

function starts(bytes: Uint8Array, first: number, second: number): boolean {
  return bytes[0] === first && bytes[1] === second;
}
