import type { Queryable } from "@web-tester/platform/database/database";

/** What a run found has become events and messages, or is nothing that people are told. */
export async function markTold(tx: Queryable, runId: string): Promise<void> {
  await tx.query(`UPDATE run SET told = true WHERE id = $1`, [runId]);
}
