import { createHash } from "node:crypto";
import type { Queryable } from "@web-tester/platform/database/database";

/** Of an address that nobody can guess, a plain hash is enough. */
const hashOf = (secret: string): Buffer => createHash("sha256").update(secret).digest();

/** Makes the badge of an object, or gives it another address. */
export async function putBadge(tx: Queryable, objectId: string, secret: string): Promise<void> {
  await tx.query(
    `INSERT INTO status_badge (test_object_id, secret_hash) VALUES ($1, $2)
     ON CONFLICT (test_object_id) DO UPDATE SET secret_hash = $2, created_at = now()`,
    [objectId, hashOf(secret)],
  );
}

/** @returns whether there was one */
export async function deleteBadge(tx: Queryable, objectId: string): Promise<boolean> {
  const rows = await tx.query(`DELETE FROM status_badge WHERE test_object_id = $1 RETURNING test_object_id`, [
    objectId,
  ]);
  return rows.length > 0;
}

/** The object that a badge is of; null where no badge has this address. */
export async function findBadge(db: Queryable, secret: string): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(`SELECT test_object_id AS id FROM status_badge WHERE secret_hash = $1`, [
    hashOf(secret),
  ]);
  return row?.id ?? null;
}
