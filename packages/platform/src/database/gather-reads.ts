import type { Queryable } from "./database.js";
import DataLoader from "dataloader";

/** A running statement is waited for so long; then the next one starts beside it. */
const patienceMs = 10;
/**
 * Keys of one statement at most: parsing the rows of so many instances with a hundred snapshots each takes some ten
 * milliseconds.
 */
const keysAtOnce = 32;

/**
 * Reads rows by key, with one statement for all who ask while another is running: for a few rows a statement costs more
 * than its result. If none is running, the question is sent at once. Who asks for the same key gets the same row, so
 * nobody may change it; nobody gets a row that was read before they asked.
 * @param nameOf gives the same text for keys that ask the same
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
      // questions that come from here on are read by the next statement
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
