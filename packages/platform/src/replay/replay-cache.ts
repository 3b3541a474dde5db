/** Texts made lately, by a key that holds all they are made of; those used longest ago go first. */
export interface ReplayCache {
  get(key: string): Buffer | undefined;
  set(key: string, text: Buffer): void;
}

/** @param maxBytes in all; a text of more than half of it is not kept */
export function createReplayCache(maxBytes: number): ReplayCache {
  // a Map keeps the order of insertion: the first is the one used longest ago
  const kept = new Map<string, Buffer>();
  let size = 0;
  const drop = (key: string) => {
    size -= kept.get(key)?.length ?? 0;
    kept.delete(key);
  };
  return {
    get(key) {
      const text = kept.get(key);
      if (text === undefined) return undefined;
      kept.delete(key);
      kept.set(key, text);
      return text;
    },
    set(key, text) {
      if (text.length > maxBytes / 2) return;
      drop(key);
      kept.set(key, text);
      size += text.length;
      for (const oldest of kept.keys()) {
        if (size <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}
