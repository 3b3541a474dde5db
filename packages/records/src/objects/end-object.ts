import type { Queryable } from "@web-tester/platform/database/database";

/** Marks an object as being deleted: from now on nothing new starts for it. */
export async function markDeleting(tx: Queryable, objectId: string): Promise<void> {
  await tx.query(`UPDATE test_object SET deleting = true WHERE id = $1`, [objectId]);
}

/** Deletes the object with all its runs. */
export async function deleteObjectRow(tx: Queryable, objectId: string): Promise<void> {
  await tx.query(`DELETE FROM test_object WHERE id = $1`, [objectId]);
}
