import type { Queryable } from "@web-tester/platform/database/database";
import { ofAnySize } from "@web-tester/records/runs/of-any-size";

/** The key of a content in searches: its hash in hex, a colon, its charset. */
export type ContentKey = string;

/** The hash in a key, in hex. */
export function hashOfKey(key: ContentKey): string {
  return key.slice(0, 64);
}

export function charsetOfKey(key: ContentKey): string {
  return key.slice(65);
}

const keyOf = (row: string) => `encode(${row}.content_hash, 'hex') || ':' || coalesce(${row}.charset, 'utf-8')`;
/** SQL: the key of a row of `test_snapshot`. */
export const contentKey = keyOf;

/*
 * SQL: contents in no pack yet, which have entries since their snapshots were stored. Callers read this before the packs: what is
 * packed in between is found twice rather than never.
 */
const waiting = `
  SELECT ${keyOf("e")} AS key FROM search_entry e
  WHERE e.test_object_id = $1 AND e.pack_id IS NULL AND e.problem IS NULL LIMIT $2`;

export async function selectWaiting(db: Queryable, objectId: string, limit: number): Promise<ContentKey[]> {
  return (await db.query<{ key: ContentKey }>(waiting, [objectId, limit])).map(({ key }) => key);
}

/** Selects the distinct contents that an instance ever had. */
export async function selectContentsOf(db: Queryable, instanceId: string): Promise<ContentKey[]> {
  const rows = await db.query<{ key: ContentKey }>(
    `SELECT DISTINCT ${keyOf("s")} AS key FROM test_snapshot s WHERE s.test_instance_id = $1 AND s.state = 'done' AND s.content_hash IS NOT NULL`,
    [instanceId],
  );
  return rows.map(({ key }) => key);
}

/** The place of a content's text: in a pack, or in none, because it waits to be packed (`problem` null) or cannot be read. */
export interface ContentSpot {
  key: ContentKey;
  packId: string | null;
  position: number | null;
  problem: string | null;
}

const spots = `
  SELECT k.key, e.pack_id AS "packId", e.position, e.problem
  FROM unnest($2::text[]) AS k (key) CROSS JOIN LATERAL (
    SELECT * FROM search_entry s
    WHERE s.test_object_id = ${ofAnySize("$1")} AND s.content_hash = decode(left(k.key, 64), 'hex') AND s.charset = substr(k.key, 66) LIMIT 1
  ) e`;

/** Selects the places of these contents; those without an entry are left out. */
export function selectSpots(db: Queryable, objectId: string, keys: readonly ContentKey[]): Promise<ContentSpot[]> {
  return db.query<ContentSpot>(spots, [objectId, keys]);
}

/** Counts contents that cannot be searched because they cannot be read. */
export async function countProblems(db: Queryable, objectId: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM search_entry WHERE test_object_id = $1 AND problem IS NOT NULL`,
    [objectId],
  );
  return row?.n ?? 0;
}
