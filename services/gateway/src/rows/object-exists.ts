import type { Queryable } from "@web-tester/platform/db/database";
import { notFound } from "../http/not-found.js";

/** @throws AppError not_found */
export async function requireObject(db: Queryable, id: string): Promise<void> {
  const [row] = await db.query(`SELECT 1 FROM test_object WHERE id = $1`, [id]);
  if (row === undefined) throw notFound("test object", id);
}
