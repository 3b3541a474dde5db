import type { Queryable } from "@web-tester/platform/database/database";

const insert = `INSERT INTO test_object (name, url) VALUES ($1, $2) RETURNING id`;

/** @returns id of the new test object */
export async function insertObject(db: Queryable, name: string, url: string): Promise<string> {
  const [row] = await db.query<{ id: string }>(insert, [name, url]);
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return row.id;
}
