import type { Queryable } from "@web-tester/platform/database/database";

/** Marks a run as told: its findings have become events and messages, or are never reported. */
export async function markTold(tx: Queryable, runId: string): Promise<void> {
  await tx.query(`UPDATE run SET told = true WHERE id = $1`, [runId]);
}
