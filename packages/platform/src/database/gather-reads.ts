import type { Queryable } from "./database.js";
import DataLoader from "dataloader";

/** Milliseconds to wait for a running statement; then the next one starts beside it. */
const patienceMs = 10;
/** The most keys of one statement: parsing the rows of 32 instances with a hundred snapshots each takes some ten milliseconds. */
const keysAtOnce = 32;

/**
 * Reads rows by key, batching all reads that arrive while a statement is running into the next one: for a few rows a statement costs more
 * than its result. If none is running, the read starts at once. Callers that ask for the same key share one row object, so nobody may
 * change it; nobody gets a row that was read before they asked.
 * @param nameOf gives equal keys the same text
 * @param read reads the row of each key, in the order of the keys; null when there is none
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
      // keys that are asked for from here on are read by the next statement
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
