import type { Database, Queryable } from "@web-tester/platform/database/database";
import { isUnused } from "./content-references.js";

/** Key of an advisory lock: backups hold it shared, each step of the collector exclusively. So no bytes are removed while a backup still has to copy them. */
export const collectingLock = 7_233;

/** The longest time that writers of the same bytes wait for a removal whose process is silent. */
export const removalLeaseMs = 60_000;

/** Tries to take the lock without waiting for a backup, which may take hours; the lock ends with the transaction. @returns whether bytes may be removed */
async function mayCollect(tx: Queryable): Promise<boolean> {
  const [row] = await tx.query<{ alone: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS alone", [collectingLock]);
  return row?.alone === true;
}

const lease = `now() + ${removalLeaseMs} * interval '1 ms'`;
const isOld = `touched_at < now() - $2::int * interval '1 ms'`;
const lockOld = `
  SELECT hash FROM content c WHERE hash > $1 AND ${isOld} AND ${isUnused("c")} ORDER BY hash LIMIT $3 FOR UPDATE SKIP LOCKED`;
/*
 * A second check after all rows are locked: it sees references that were made before a row was locked, and none can be made after that. So
 * no foreign key refuses a deletion, which would roll back the whole batch.
 */
const remove = `
  WITH gone AS (DELETE FROM content c WHERE hash = ANY($1) AND ${isUnused("c")} RETURNING hash)
  INSERT INTO content_removal (hash, lease_until) SELECT hash, ${lease} FROM gone ORDER BY hash
  ON CONFLICT (hash) DO UPDATE SET lease_until = excluded.lease_until RETURNING hash`;

/** The result of one step; `next` is where the next step begins, null after the last. */
export interface Step {
  hashes: Buffer[];
  next: Buffer | null;
}

/** A value before the first hash. */
export const firstHash = Buffer.alloc(0);

/**
 * Deletes rows of contents that nothing refers to and that were not announced for `graceMs`, and notes their bytes for removal.
 * @returns null while a backup runs, or another collector is in a step
 */
export function noteUnused(db: Database, after: Buffer, graceMs: number, limit: number): Promise<Step | null> {
  return db.transaction(async (tx) => {
    if (!(await mayCollect(tx))) return null;
    const rows = await tx.query<{ hash: Buffer }>(lockOld, [after, graceMs, limit]);
    if (rows.length === 0) return { hashes: [], next: null };
    const gone = await tx.query<{ hash: Buffer }>(remove, [rows.map(({ hash }) => hash)]);
    return stepOf(gone, rows, limit);
  });
}

const again = `
  UPDATE content_removal SET lease_until = ${lease}
  WHERE hash IN (SELECT hash FROM content_removal WHERE lease_until < now() ORDER BY lease_until LIMIT $1 FOR UPDATE) RETURNING hash`;
// the lease is over: writers that waited for it have written by now, or will write without waiting
const announced = `
  DELETE FROM content_removal r WHERE lease_until < now() AND EXISTS (SELECT 1 FROM content c WHERE c.hash = r.hash)`;

/**
 * Takes removals that were not completed (the store refused them, or their collector died), those first that were tried longest ago.
 * @returns null for the same reasons as `noteUnused`
 */
export function noteLeft(db: Database, limit: number): Promise<Step | null> {
  return db.transaction(async (tx) => {
    if (!(await mayCollect(tx))) return null;
    await tx.query(announced);
    const rows = await tx.query<{ hash: Buffer }>(again, [limit]);
    return stepOf(rows, rows, limit);
  });
}

const noteKnown = `
  INSERT INTO content_removal (hash, lease_until)
  SELECT hash, ${lease} FROM unnest($1::bytea[]) AS stray (hash) WHERE NOT EXISTS (SELECT 1 FROM content c WHERE c.hash = stray.hash) ORDER BY hash
  ON CONFLICT (hash) DO UPDATE SET lease_until = excluded.lease_until WHERE content_removal.lease_until < now() RETURNING hash`;

/** Notes bytes without a row for removal. @returns the hashes noted; null for the same reasons as `noteUnused` */
export function noteStrays(db: Database, hashes: readonly Buffer[]): Promise<Buffer[] | null> {
  return db.transaction(async (tx) => {
    if (!(await mayCollect(tx))) return null;
    return (await tx.query<{ hash: Buffer }>(noteKnown, [hashes])).map(({ hash }) => hash);
  });
}

function stepOf(taken: readonly { hash: Buffer }[], seen: readonly { hash: Buffer }[], limit: number): Step {
  const last = seen
    .map(({ hash }) => hash)
    .toSorted((a, b) => a.compare(b))
    .at(-1);
  return {
    hashes: taken.map(({ hash }) => hash),
    next: last === undefined || seen.length < limit ? null : last,
  };
}

/*
 * Inserts a row for bytes that have none, which is never committed: a process that announces the same bytes (touchContent) waits for the
 * end of this transaction, and writes them after it. If there already is a row, the bytes are announced, and stay.
 */
const hold = `
  INSERT INTO content (hash, size) SELECT hash, 0 FROM content_removal WHERE hash = ANY($1) ORDER BY hash
  ON CONFLICT (hash) DO NOTHING RETURNING hash`;
const release = `DELETE FROM content WHERE hash = ANY($1)`;
const forget = `DELETE FROM content_removal WHERE hash = ANY($1)`;
const giveUp = `UPDATE content_removal SET lease_until = now() WHERE hash = ANY($1)`;
const complain = `
  WITH before AS (SELECT hash FROM content_removal WHERE hash = ANY($1) AND error IS NULL), noted AS (
    UPDATE content_removal r SET error = w.error FROM unnest($1::bytea[], $2::text[]) AS w (hash, error) WHERE r.hash = w.hash
  )
  SELECT hash FROM before`;

/** The outcome of removing bytes. */
export interface Removal {
  removed: number;
  /** Bytes that the store refused to remove; `isNews`: it had not refused them before. */
  refused: { hash: Buffer; error: unknown; isNews: boolean }[];
}

/**
 * Removes the bytes of noted removals while nobody can announce them. If it fails at any point, the notes that are left are processed again
 * later.
 * @param noted removals noted by this process, which alone acts on them until their lease ends
 * @param removeBytes removes bytes, and returns for each attempted hash why the store refused it, or null
 * @returns null for the same reasons as `noteUnused`
 */
export async function removeNoted(
  db: Database,
  noted: readonly Buffer[],
  removeBytes: (hashes: readonly Buffer[]) => Promise<{ hash: Buffer; error: unknown }[]>,
): Promise<Removal | null> {
  let asked = false;
  try {
    return await db.transaction(
      async (tx) => {
        if (!(await mayCollect(tx))) return null;
        const held = (await tx.query<{ hash: Buffer }>(hold, [noted])).map(({ hash }) => hash);
        asked = true;
        const results = await removeBytes(held);
        const gone = results.filter(({ error }) => error === null).map(({ hash }) => hash);
        const refused = results.filter(({ error }) => error !== null);
        await tx.query(release, [held]);
        // bytes that were announced meanwhile stay, and their notes go: nobody has to wait for them
        await tx.query(forget, [[...gone, ...without(noted, held)]]);
        await tx.query(giveUp, [
          without(
            held,
            results.map(({ hash }) => hash),
          ),
        ]);
        const news = await tx.query<{ hash: Buffer }>(complain, [
          refused.map(({ hash }) => hash),
          refused.map(({ error }) => (error instanceof Error ? error.message : String(error)).replaceAll("\0", "")),
        ]);
        return {
          removed: gone.length,
          refused: refused.map((one) => ({ ...one, isNews: news.some(({ hash }) => hash.equals(one.hash)) })),
        };
      },
      { once: true },
    );
  } finally {
    // the store was asked for nothing, so nobody has to wait for the lease
    if (!asked) await db.query(giveUp, [noted]).catch(() => undefined);
  }
}

function without(hashes: readonly Buffer[], left: readonly Buffer[]): Buffer[] {
  const names = new Set(left.map((hash) => hash.toString("latin1")));
  return hashes.filter((hash) => !names.has(hash.toString("latin1")));
}
