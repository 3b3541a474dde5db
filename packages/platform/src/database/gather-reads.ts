import type { Queryable } from "./database.js";
import DataLoader from "dataloader";

/** So long others are waited for while a statement is under way; one that takes longer holds up nobody else. */
const patienceMs = 10;
/** An answer of so many instances with a hundred snapshots each takes some ten milliseconds to parse. */
const keysAtOnce = 32;

/**
 * A read of rows by key that takes one statement for all who ask while it is busy with others: for a few rows a statement costs more
 * than what it finds. Whoever asks while it is not busy waits for nobody. Who asks for the same shares the row, so nobody may change it,
 * and nobody gets one that was read before they asked.
 * @param nameOf the same for keys that ask the same
 * @param read gives what each key names, in their order; null where there is nothing
 */
export function gatherReads<Key, Row>(
  nameOf: (key: Key) => string,
  read: (db: Queryable, keys: readonly Key[]) => Promise<readonly (Row | null)[]>,
): (db: Queryable, key: Key) => Promise<Row | null> {
  const readers = new WeakMap<Queryable, DataLoader<Key, Row | null, string>>();
  return (db, key) => {
    let reader = readers.get(db);
    if (reader === undefined) {
      reader = createReader(nameOf, (keys) => read(db, keys));
      readers.set(db, reader);
    }
    return reader.load(key);
  };
}

function createReader<Key, Row>(
  nameOf: (key: Key) => string,
  read: (keys: readonly Key[]) => Promise<readonly (Row | null)[]>,
): DataLoader<Key, Row | null, string> {
  let running = 0;
  const waiting = new Set<() => void>();
  const reader = new DataLoader<Key, Row | null, string>(
    async (keys) => {
      // who asks from here on asks anew
      reader.clearAll();
      running += 1;
      try {
        return await read(keys);
      } finally {
        running -= 1;
        const [next] = waiting;
        next?.();
      }
    },
    {
      cacheKeyFn: nameOf,
      maxBatchSize: keysAtOnce,
      batchScheduleFn: (begin) => {
        if (running === 0) {
          queueMicrotask(begin);
          return;
        }
        const go = () => {
          clearTimeout(timer);
          waiting.delete(go);
          begin();
        };
        const timer = setTimeout(go, patienceMs);
        waiting.add(go);
      },
    },
  );
  return reader;
}
