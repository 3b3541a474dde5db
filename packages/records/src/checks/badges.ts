import { createHash } from "node:crypto";
import type { Queryable } from "@web-tester/platform/database/database";

/** The hash of a badge's address; the address cannot be guessed, so a plain hash is enough. */
const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** Creates the badge of an object, or gives it a new address. */
export async function putBadge(tx: Queryable, objectId: string, secret: string): Promise<void> {
  await tx.query(
    `INSERT INTO status_badge (test_object_id, secret_hash) VALUES ($1, $2)
     ON CONFLICT (test_object_id) DO UPDATE SET secret_hash = $2, created_at = now()`,
    [objectId, hashOf(secret)],
  );
}

/** Returns when the address of an object's badge was made; null when it has no badge. */
export async function badgeMadeAt(db: Queryable, objectId: string): Promise<string | null> {
  const [row] = await db.query<{ created_at: Date }>(`SELECT created_at FROM status_badge WHERE test_object_id = $1`, [
    objectId,
  ]);
  return row?.created_at.toISOString() ?? null;
}

/** @returns whether there was a badge */
export async function deleteBadge(tx: Queryable, objectId: string): Promise<boolean> {
  const rows = await tx.query(`DELETE FROM status_badge WHERE test_object_id = $1 RETURNING test_object_id`, [
    objectId,
  ]);
  return rows.length > 0;
}

/** Returns the object of a badge; null when no badge has this address. */
export async function findBadge(db: Queryable, secret: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(`SELECT test_object_id AS id FROM status_badge WHERE secret_hash = $1`, [
    hashOf(secret),
  ]);
  return row?.id ?? null;
}
