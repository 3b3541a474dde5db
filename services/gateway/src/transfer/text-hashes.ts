import { isPlainUtf8, utf8As } from "@web-tester/html/charset/decode-as";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";

/** Pages that are read again at the same time. */
const readAtOnce = 8;

/** A page whose bytes came with an archive: hash in hex, and the charset that they were decoded with. */
export interface PageBytes {
  hash: string;
  charset: string;
}

/**
 * The hashes that pages of an archive have in a plain file, which holds their text as UTF-8. Only pages that are something else are read
 * again, each once.
 */
export class TextHashes {
  private readonly others = new Set<string>();
  private readonly found = new Map<string, string>();

  constructor(private readonly store: ObjectStore) {}

  /** Notes bytes of the archive. */
  note(hash: string, bytes: Uint8Array): void {
    if (!isPlainUtf8(bytes)) this.others.add(hash);
  }

  /** Finds the hashes of the texts of pages whose bytes are stored. @throws AppError content_missing, content_damaged, unavailable */
  async find(pages: readonly PageBytes[]): Promise<void> {
    const wanted = new Map(pages.filter((page) => this.isOther(page)).map((page) => [keyOf(page), page]));
    const unread = [...wanted].filter(([key]) => !this.found.has(key));
    for (let at = 0; at < unread.length; at += readAtOnce)
      await Promise.all(
        unread.slice(at, at + readAtOnce).map(async ([key, { hash, charset }]) => {
          const bytes = await this.store.read(Buffer.from(hash, "hex"));
          this.found.set(key, hashContent(Buffer.from(utf8As(bytes, charset))).toString("hex"));
        }),
      );
  }

  /** The hash of a page's text as UTF-8, after `find`; null where the text is the page's bytes. */
  of(page: PageBytes): string | null {
    const hash = this.found.get(keyOf(page)) ?? null;
    return hash === page.hash ? null : hash;
  }

  private isOther({ hash, charset }: PageBytes): boolean {
    return charset !== "utf-8" || this.others.has(hash);
  }
}

const keyOf = ({ hash, charset }: PageBytes): string => `${charset} ${hash}`;
