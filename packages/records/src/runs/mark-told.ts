import type { Queryable } from "@web-tester/platform/database/database";

/**
 * Marks a run as told: its findings have become events and messages, or are never reported.
 * @param metBefore how many runs of the other kind had met the same outage
 */
export async function markTold(tx: Queryable, runId: string, metBefore: number): Promise<void> {
  await tx.query(`UPDATE run SET told = true, met_before = $2 WHERE id = $1`, [runId, metBefore]);
}
