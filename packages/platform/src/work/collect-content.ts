import type { Database, Queryable } from "../db/database.js";
import type { ObjectStore } from "../storage/object-store.js";

export interface Collection {
  db: Database;
  store: Pick<ObjectStore, "delete" | "list">;
  /** Bytes younger than this, or announced within it, are never touched, milliseconds. */
  graceMs: number;
  /** Between two batches it ends early. */
  signal: AbortSignal;
}

const batchRows = 200;

/**
 * Advisory lock: a backup shares it with other backups, a batch of the collector takes it alone. So no bytes go while
 * a backup still has to copy what its rows name.
 */
export const collectingLock = 7_233;

/** Never waits for a backup, which may take hours; the lock ends with the transaction. @returns whether bytes may be removed */
async function mayCollect(tx: Queryable): Promise<boolean> {
  const [row] = await tx.query<{ alone: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS alone", [collectingLock]);
  return row?.alone === true;
}

/*
 * The lock on the row is what keeps a writer out: whoever announces the same bytes (touchContent) or something that rests
 * on them (announceBases) waits for the end of this transaction, finds no row and writes the bytes again. A row that is referred to meanwhile is refused by its
 * foreign key, and the whole batch is taken back.
 */
const lockUnused = `
  SELECT hash FROM content c
  WHERE touched_at < now() - $1::int * interval '1 ms'
    AND NOT EXISTS (SELECT 1 FROM test_snapshot s WHERE s.content_hash = c.hash)
    AND NOT EXISTS (SELECT 1 FROM import_row r WHERE r.content_hash = c.hash)
    AND NOT EXISTS (SELECT 1 FROM import_content i WHERE i.content_hash = c.hash)
    AND NOT EXISTS (SELECT 1 FROM snapshot_asset a WHERE a.content_hash = c.hash)
    AND NOT EXISTS (SELECT 1 FROM content d WHERE d.base_hash = c.hash)
    AND NOT EXISTS (SELECT 1 FROM test_object o WHERE o.dictionary_hash = c.hash)
  ORDER BY hash LIMIT $2 FOR UPDATE SKIP LOCKED`;

/**
 * Removes content that nothing refers to any more, bytes first, then rows; what it rested on follows when nothing else
 * rests on it. A keyframe whose own snapshots are gone stays while a version needs it: never more bytes than that
 * version by itself would take, since no version rests on another one. Ends early while a backup runs, or another collector has a batch.
 * @returns how many contents were removed
 */
export async function collectUnused({ db, store, graceMs, signal }: Collection): Promise<number> {
  for (let removed = 0; ;) {
    const batch = await db.transaction(async (tx) => {
      if (!(await mayCollect(tx))) return 0;
      const rows = await tx.query<{ hash: Buffer }>(lockUnused, [graceMs, batchRows]);
      await Promise.all(rows.map(({ hash }) => store.delete(hash)));
      await tx.query("DELETE FROM content WHERE hash = ANY($1)", [rows.map(({ hash }) => hash)]);
      return rows.length;
    });
    removed += batch;
    if (batch === 0 || signal.aborted) return removed;
  }
}

/*
 * A row of its own for bytes that have none: it holds the same lock as above, and is gone when the transaction ends.
 * Where a row exists already, the bytes are not strays.
 */
const lockStrays = `
  INSERT INTO content (hash, size) SELECT hash, 0 FROM unnest($1::bytea[]) AS stray (hash) ORDER BY hash
  ON CONFLICT (hash) DO NOTHING RETURNING hash`;

/**
 * Removes bytes that no row knows: left by a worker that died between blob and row, or an answer that was too large for
 * a message. Walks the whole store.
 * @returns how many objects were removed
 */
export async function collectStrays({ db, store, graceMs, signal }: Collection): Promise<number> {
  let removed = 0;
  let old: Buffer[] = [];
  const flush = async () => {
    const hashes = old;
    old = [];
    removed += await db.transaction(async (tx) => {
      if (!(await mayCollect(tx))) return 0;
      const strays = await tx.query<{ hash: Buffer }>(lockStrays, [hashes]);
      await Promise.all(strays.map(({ hash }) => store.delete(hash)));
      await tx.query("DELETE FROM content WHERE hash = ANY($1)", [strays.map(({ hash }) => hash)]);
      return strays.length;
    });
  };
  const youngest = Date.now() - graceMs;
  for await (const { hash, modifiedAt } of store.list()) {
    if (signal.aborted) break;
    if (modifiedAt.getTime() < youngest) old.push(hash);
    if (old.length >= batchRows) await flush();
  }
  if (old.length > 0 && !signal.aborted) await flush();
  return removed;
}

export interface CollectorOptions extends Omit<Collection, "signal"> {
  everyMs: number;
  /** Walking the store is dearer than asking the database: done once in so many rounds. */
  straysEvery: number;
  onCollected(message: string): void;
  onError(message: string, error: unknown): void;
}

/** Collects every `everyMs`, on any number of replicas. @returns a function that stops it */
export function startCollector({
  everyMs,
  straysEvery,
  onCollected,
  onError,
  ...rest
}: CollectorOptions): () => Promise<void> {
  const stopping = new AbortController();
  const collection = { ...rest, signal: stopping.signal };
  let round = 0;
  let current: Promise<void> = Promise.resolve();
  const collect = async () => {
    const unused = await collectUnused(collection);
    const strays = round++ % straysEvery === 0 ? await collectStrays(collection) : 0;
    if (unused + strays > 0) onCollected(`${unused + strays} contents that nothing refers to were removed`);
  };
  const timer = setInterval(() => {
    current = current.then(collect).catch((error: unknown) => onError("removing unused content failed", error));
  }, everyMs);
  return async () => {
    stopping.abort();
    clearInterval(timer);
    await current;
  };
}
