import { createHash } from "node:crypto";
import { type DigestSection, digestSection } from "@web-tester/contracts/entities/digest";
import type { Feed } from "@web-tester/contracts/entities/notifications";
import type { Queryable } from "@web-tester/platform/database/database";

type StoredFeed = Omit<Feed, "created_at"> & { created_at: Date };

const columns = `id, test_object_id AS testobject_id, created_at`;
const toFeed = (row: StoredFeed): Feed => ({ ...row, created_at: row.created_at.toISOString() });
/** The hash of a feed's address; the address cannot be guessed, so a plain hash is enough. */
const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** All feeds; the feed of all objects comes first. */
export async function selectFeeds(db: Queryable): Promise<Feed[]> {
  const rows = await db.query<StoredFeed>(`SELECT ${columns} FROM feed ORDER BY test_object_id IS NOT NULL, id`);
  return rows.map(toFeed);
}

/** Returns null when no feed has this address. */
export async function findFeed(db: Queryable, secret: string): Promise<Feed | null> {
  const [row] = await db.query<StoredFeed>(`SELECT ${columns} FROM feed WHERE secret_hash = $1`, [hashOf(secret)]);
  return row === undefined ? null : toFeed(row);
}

/** Creates the feed of an object, or gives it a new address. @param objectId null: of all objects */
export async function putFeed(tx: Queryable, objectId: string | null, secret: string): Promise<Feed> {
  const [row] = await tx.query<StoredFeed>(
    `INSERT INTO feed (test_object_id, secret_hash) VALUES ($1, $2)
     ON CONFLICT (test_object_id) DO UPDATE SET secret_hash = $2, created_at = now() RETURNING ${columns}`,
    [objectId, hashOf(secret)],
  );
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return toFeed(row);
}

/** @returns whether there was such a feed */
export async function deleteFeed(tx: Queryable, id: string): Promise<boolean> {
  return (await tx.query(`DELETE FROM feed WHERE id = $1 RETURNING id`, [id])).length > 0;
}

/** Stores the findings of a run as a feed entry. Unusual notes may follow later; they are added, and make the entry new again. */
export async function insertFeedEntry(tx: Queryable, runId: string, section: DigestSection): Promise<void> {
  await tx.query(
    `INSERT INTO feed_entry AS e (run_id, test_object_id, section) VALUES ($1, $2, $3::jsonb)
     ON CONFLICT (run_id) DO UPDATE SET created_at = now(),
       section = jsonb_set(e.section, '{strange}', coalesce(e.section -> 'strange', '[]') || (excluded.section -> 'strange'))`,
    [runId, section.object.id, JSON.stringify(section)],
  );
}

export interface FeedEntry {
  runId: string;
  section: DigestSection;
  createdAt: Date;
}

/** Returns the newest entries, newest first. @param objectId null: of all objects */
export async function selectFeedEntries(db: Queryable, objectId: string | null, limit: number): Promise<FeedEntry[]> {
  const rows = await db.query<{ run_id: string; section: unknown; created_at: Date }>(
    `SELECT run_id, section, created_at FROM feed_entry ${objectId === null ? "" : "WHERE test_object_id = $2"} ORDER BY created_at DESC LIMIT $1`,
    objectId === null ? [limit] : [limit, objectId],
  );
  return rows.map((row) => ({
    runId: row.run_id,
    section: digestSection.parse(row.section),
    createdAt: row.created_at,
  }));
}

/** Forgets entries after so many days by the database's clock, a thousand at a time. */
export async function forgetFeedEntries(db: Queryable, days: number): Promise<void> {
  await db.query(
    `DELETE FROM feed_entry WHERE run_id IN (
       SELECT run_id FROM feed_entry WHERE created_at < now() - $1::int * interval '1 day' ORDER BY created_at LIMIT 1000)`,
    [days],
  );
}
