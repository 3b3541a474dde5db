import type { Queryable } from "@web-tester/platform/database/database";

/** The end of a statement that inserts a removal as CTE `made`: marks these instances of the object ($1), by their ids ($3), as part of it. */
export const markGoing = `
    UPDATE test_instance SET removal_id = made.id FROM made
    WHERE test_instance.test_object_id = $1 AND test_instance.id = ANY($3::uuid[]) AND removal_id IS NULL`;

/** Takes back the marks of a removal, so that its instances stay. */
export async function keepGoing(tx: Queryable, removalId: string): Promise<void> {
  await tx.query(`UPDATE test_instance SET removal_id = NULL WHERE removal_id = $1`, [removalId]);
}
