import type { Queryable } from "@web-tester/platform/database/database";
import { sharedRead } from "@web-tester/platform/database/statement";
import { notFound } from "./not-found.js";

const select = sharedRead(`SELECT 1 FROM test_object WHERE id = $1`);

/**
 * Checks that a test object exists.
 * @throws AppError not_found
 */
export async function requireObject(db: Queryable, id: string): Promise<void> {
  const [row] = await db.query(select, [id]);
  if (row === undefined) throw notFound("test object", id);
}
