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
 * Marks instances as going: they are in no list from now on, and are deleted when the time has come. In a transaction.
 * @returns null where none of them is there, or all of them are going already
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

/** The deletion that takes an instance, or its snapshots, unless it is undone; null where there is none. */
export async function selectRemovalOf(db: Queryable, instanceId: string): Promise<RemovalRow | null> {
  const [row] = await db.query<RemovalRow>(ofInstance, [instanceId]);
  return row ?? null;
}

/** @returns what is wanted gone of an object as a whole, and can still be undone; null where nothing is. In a transaction that holds the object. */
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

/** Whether an instance was named by a deletion that can still be undone, or is being carried out. */
export async function isGoing(tx: Queryable, instanceId: string): Promise<boolean> {
  const rows = await tx.query(`SELECT 1 FROM test_instance WHERE id = $1 AND removal_id IS NOT NULL`, [instanceId]);
  return rows.length > 0;
}

const totals: Readonly<Record<Exclude<RemovalKind, "instances">, string>> = {
  "delete-instances": `SELECT count(*) FROM test_instance WHERE test_object_id = $1`,
  "delete-object": `SELECT count(*) FROM test_instance WHERE test_object_id = $1`,
  "delete-snapshots": `SELECT coalesce(sum(snapshots_total), 0) FROM test_instance WHERE test_object_id = $1`,
};

/** Wants an object, or all of a kind below it, deleted when the time has come; asked for twice, it is one. In a transaction. */
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

/** Takes a removal back, in a transaction. @returns `begun` where it is being carried out, `none` where there is no such removal any more */
export async function undoRemovalRow(tx: Queryable, id: string): Promise<"undone" | "begun" | "none"> {
  await tx.query(lockObjectOf, [id]);
  const [row] = await tx.query<{ begun: boolean }>(`SELECT begun FROM removal WHERE id = $1`, [id]);
  if (row === undefined) return "none";
  if (row.begun) return "begun";
  await keepGoing(tx, id);
  await tx.query(`DELETE FROM removal WHERE id = $1`, [id]);
  return "undone";
}
