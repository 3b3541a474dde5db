import type { LostRow, Recoverable } from "@web-tester/platform/work/reconcile";

/** A message names one run, so no more than this many are found at once: so few rows never share a message. */
const atOnce = 2;

/** Deletions that lost their message. They have no lease: the run's lock keeps two workers apart. */
export const recoverDeletions: Recoverable<"delete"> = {
  name: "delete",
  requeueExpired: async () => 0,
  async waiting(db, olderThanMs) {
    const rows = await db.query(
      `SELECT 1 FROM run WHERE state = 'running' AND kind LIKE 'delete-%' AND queued_at < now() - $1::int * interval '1 ms' LIMIT 1`,
      [olderThanMs],
    );
    return rows.map(() => ({ lane: null, partition: null }));
  },
  takeLost: (db, _address, olderThanMs, limit) =>
    db.query<LostRow>(
      `UPDATE run SET generation = generation + 1, queued_at = now()
       WHERE id IN (
         SELECT id FROM run WHERE state = 'running' AND kind LIKE 'delete-%' AND queued_at < now() - $1::int * interval '1 ms'
         ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING id, generation`,
      [olderThanMs, Math.min(limit, atOnce)],
    ),
  body: ([runId]) => {
    if (runId === undefined) throw new Error("a message of no run");
    return { runId };
  },
};
