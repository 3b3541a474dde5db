/** Keeps what was used lately, up to a number of bytes; what was used longest ago is dropped first. */
export interface ByteCache<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/**
 * @param maxBytes of all values together
 * @param ofOne the share of it that one value may take; a larger one is not kept
 * @param bytesOf size of a value
 */
export function createByteCache<Value>(
  maxBytes: number,
  ofOne: number,
  bytesOf: (value: Value) => number,
): ByteCache<Value> {
  // a Map keeps the order of insertion: the first is the one used longest ago
  const kept = new Map<string, Value>();
  let size = 0;
  const drop = (key: string) => {
    const value = kept.get(key);
    if (value !== undefined) size -= bytesOf(value);
    kept.delete(key);
  };
  return {
    get(key) {
      const value = kept.get(key);
      if (value === undefined) return undefined;
      kept.delete(key);
      kept.set(key, value);
      return value;
    },
    set(key, value) {
      const bytes = bytesOf(value);
      if (bytes > maxBytes * ofOne) return;
      drop(key);
      kept.set(key, value);
      size += bytes;
      for (const oldest of kept.keys()) {
        if (size <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}
