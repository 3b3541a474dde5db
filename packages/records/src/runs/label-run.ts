import type { Queryable } from "@web-tester/platform/database/database";

/** Sets or removes the label of a run. @returns whether there is such a run */
export async function labelRun(tx: Queryable, id: string, label: string | null): Promise<boolean> {
  const rows = await tx.query(`UPDATE run SET label = $2 WHERE id = $1 RETURNING id`, [id, label]);
  return rows.length > 0;
}

/**
 * Returns the newest finished fetch of an object with a label (a stopped fetch would be half of a release); null when there is none. @param
 * except a fetch to skip, null for none
 */
export async function runOfLabel(
  db: Queryable,
  objectId: string,
  label: string,
  except: string | null,
): Promise<string | null> {
  const [row] = await db.query<{ id: string }>(
    `SELECT id FROM run WHERE test_object_id = $1 AND label = $2 AND kind IN ('snapshot-all', 'snapshot-one') AND state = 'finished' AND id IS DISTINCT FROM $3::uuid
     ORDER BY id DESC LIMIT 1`,
    [objectId, label, except],
  );
  return row?.id ?? null;
}
