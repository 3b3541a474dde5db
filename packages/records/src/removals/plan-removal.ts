import type { RemovalKind } from "@web-tester/contracts/entities/removal";
import type { Queryable } from "@web-tester/platform/database/database";
import { keepGoing, markGoing } from "../instances/mark-going.js";

export interface RemovalRow {
  id: string;
  test_object_id: string;
  kind: RemovalKind;
  total: number;
  due_at: Date;
}

const columns = `id, test_object_id, kind, total, due_at`;
const lockObject = `SELECT id FROM test_object WHERE id = $1 FOR NO KEY UPDATE`;

const planNamed = `
  WITH made AS (
    INSERT INTO removal (test_object_id, kind, total, due_at)
    SELECT $1, 'instances', count(*), now() + make_interval(secs => $2)
    FROM test_instance WHERE test_object_id = $1 AND id = ANY($3::uuid[]) AND removal_id IS NULL HAVING count(*) > 0
    RETURNING ${columns}
  ), marked AS (${markGoing}
  )
  SELECT ${columns} FROM made`;

/**
 * Plans the removal of instances: they are in no list from now on, and are deleted when the undo time is over. Call it in a transaction.
 * @returns null when none of them exists, or all are already part of a removal
 */
export async function planInstances(
  tx: Queryable,
  objectId: string,
  instanceIds: readonly string[],
  undoSeconds: number,
): Promise<RemovalRow | null> {
  await tx.query(lockObject, [objectId]);
  const [row] = await tx.query<RemovalRow>(planNamed, [objectId, undoSeconds, instanceIds]);
  return row ?? null;
}

const ofInstance = `
  SELECT w.id, w.test_object_id, w.kind, w.total, w.due_at FROM test_instance i
  JOIN removal w ON w.test_object_id = i.test_object_id AND NOT w.begun AND (w.kind <> 'instances' OR w.id = i.removal_id)
  WHERE i.id = $1 ORDER BY w.id DESC LIMIT 1`;

/** Returns the removal, if it can still be undone, that will delete an instance or its snapshots; null when there is none. */
export async function selectRemovalOf(db: Queryable, instanceId: string): Promise<RemovalRow | null> {
  const [row] = await db.query<RemovalRow>(ofInstance, [instanceId]);
  return row ?? null;
}

/**
 * @returns the kind of a removal of the whole object, of all its instances or all its snapshots; null when there is none. Call it in a
 * transaction that has locked the object.
 */
export async function wholeRemovalOf(
  tx: Queryable,
  objectId: string,
): Promise<Exclude<RemovalKind, "instances"> | null> {
  const [row] = await tx.query<{ kind: Exclude<RemovalKind, "instances"> }>(
    `SELECT kind FROM removal WHERE test_object_id = $1 AND kind <> 'instances' ORDER BY id DESC LIMIT 1`,
    [objectId],
  );
  return row?.kind ?? null;
}

/** Whether an instance is part of a removal, pending or being carried out. */
export async function isGoing(tx: Queryable, instanceId: string): Promise<boolean> {
  const rows = await tx.query(`SELECT 1 FROM test_instance WHERE id = $1 AND removal_id IS NOT NULL`, [instanceId]);
  return rows.length > 0;
}

const totals: Readonly<Record<Exclude<RemovalKind, "instances">, string>> = {
  "delete-instances": `SELECT count(*) FROM test_instance WHERE test_object_id = $1`,
  "delete-object": `SELECT count(*) FROM test_instance WHERE test_object_id = $1`,
  "delete-snapshots": `SELECT coalesce(sum(snapshots_total), 0) FROM test_instance WHERE test_object_id = $1`,
};

/** Plans the deletion of an object, or of everything of a kind below it; asking twice gives the same removal. Call it in a transaction. */
export async function planWhole(
  tx: Queryable,
  objectId: string,
  kind: Exclude<RemovalKind, "instances">,
  undoSeconds: number,
): Promise<RemovalRow | null> {
  const [object] = await tx.query(lockObject, [objectId]);
  if (object === undefined) return null;
  const [known] = await tx.query<RemovalRow>(
    `SELECT ${columns} FROM removal WHERE test_object_id = $1 AND kind = $2 AND NOT begun ORDER BY id DESC LIMIT 1`,
    [objectId, kind],
  );
  if (known !== undefined) return known;
  const [made] = await tx.query<RemovalRow>(
    `INSERT INTO removal (test_object_id, kind, total, due_at) SELECT $1, $2, (${totals[kind]}), now() + make_interval(secs => $3) RETURNING ${columns}`,
    [objectId, kind, undoSeconds],
  );
  return made ?? null;
}

const lockObjectOf = `
  SELECT id FROM test_object WHERE id = (SELECT test_object_id FROM removal WHERE id = $1) FOR NO KEY UPDATE`;

/** Undoes a removal, in a transaction. @returns `begun` when it is already being carried out, `none` when it does not exist any more */
export async function undoRemovalRow(tx: Queryable, id: string): Promise<"undone" | "begun" | "none"> {
  await tx.query(lockObjectOf, [id]);
  const [row] = await tx.query<{ begun: boolean }>(`SELECT begun FROM removal WHERE id = $1`, [id]);
  if (row === undefined) return "none";
  if (row.begun) return "begun";
  await keepGoing(tx, id);
  await tx.query(`DELETE FROM removal WHERE id = $1`, [id]);
  return "undone";
}
