/** A base: its content, or the form it is stored in, and how much of it was stored. */
export interface CachedBase {
  bytes: Buffer;
  storedSize: number;
}

/** Bases used lately, by hash; those used longest ago go first. Their bytes are never handed out. */
export interface BaseCache {
  get(hash: string): CachedBase | undefined;
  set(hash: string, base: CachedBase): void;
}

/** @param maxBytes of content in all; a base of more than a quarter of it is not kept */
export function createBaseCache(maxBytes: number): BaseCache {
  // a Map keeps the order of insertion: the first is the one used longest ago
  const kept = new Map<string, CachedBase>();
  let size = 0;
  const drop = (hash: string) => {
    size -= kept.get(hash)?.bytes.length ?? 0;
    kept.delete(hash);
  };
  return {
    get(hash) {
      const base = kept.get(hash);
      if (base === undefined) return undefined;
      kept.delete(hash);
      kept.set(hash, base);
      return base;
    },
    set(hash, base) {
      if (base.bytes.length > maxBytes / 4) return;
      drop(hash);
      kept.set(hash, base);
      size += base.bytes.length;
      for (const oldest of kept.keys()) {
        if (size <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}
