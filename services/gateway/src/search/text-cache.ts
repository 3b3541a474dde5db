import type { SearchScope } from "@web-tester/contracts/entities/search";
import { AppError } from "@web-tester/contracts/errors";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { LRUCache } from "lru-cache";
import type { ScanPool } from "./scan-pool.js";
import { charsetOfKey, type ContentKey, hashOfKey } from "./select-contents.sql.js";

/**
 * Caches the folded texts of contents that are in no pack yet, in memory that threads share, up to `maxBytes`. Whoever searches while
 * a site is being fetched needs them again for the next page of results, the sums and the history.
 */
export class TextCache {
  private readonly kept: LRUCache<string, Uint8Array>;

  constructor(
    private readonly store: Pick<ObjectStore, "read">,
    private readonly pool: Pick<ScanPool, "fold">,
    maxBytes: number,
  ) {
    this.kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ byteLength }) => byteLength + 1 });
  }

  /** Loads texts, in any order; one that cannot be read is left out here, and reported when it is packed. */
  async load(scope: SearchScope, keys: readonly ContentKey[]): Promise<Map<ContentKey, Uint8Array>> {
    const texts = new Map<ContentKey, Uint8Array>();
    for (const key of keys) {
      const known = this.kept.get(`${scope}:${key}`);
      if (known !== undefined) texts.set(key, known);
    }
    const read = await Promise.all(
      keys.filter((key) => !texts.has(key)).map(async (key) => ({ key, bytes: await this.read(key) })),
    );
    const readable = read.flatMap(({ key, bytes }) => (bytes === null ? [] : [{ key, bytes }]));
    if (readable.length === 0) return texts;
    const folded = await this.pool.fold({
      scope,
      contents: readable.map(({ key, bytes }) => ({ bytes, charset: charsetOfKey(key) })),
    });
    for (const [index, { key }] of readable.entries()) {
      const text = folded[index];
      if (text === undefined) continue;
      texts.set(key, text);
      this.kept.set(`${scope}:${key}`, text);
    }
    return texts;
  }

  private async read(key: ContentKey): Promise<Uint8Array | null> {
    try {
      return await this.store.read(Buffer.from(hashOfKey(key), "hex"));
    } catch (error) {
      if (error instanceof AppError && !error.retryable) return null;
      throw error;
    }
  }
}
