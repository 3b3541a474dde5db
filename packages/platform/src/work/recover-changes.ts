import { changesPerMessageMax } from "@web-tester/contracts/messages";
import type { LostRow, Recoverable } from "./reconcile.js";

/** Comparisons that lost their message. They have no lease: comparing twice writes once. */
export const recoverChanges: Recoverable<"diff"> = {
  name: "diff",
  requeueExpired: async () => 0,
  async waiting(db, olderThanMs) {
    const rows = await db.query(
      `SELECT 1 FROM change WHERE state = 'queued' AND queued_at < now() - $1::int * interval '1 ms' LIMIT 1`,
      [olderThanMs],
    );
    return rows.map(() => ({ lane: null, partition: null }));
  },
  takeLost: (db, _address, olderThanMs, limit) =>
    db.query<LostRow>(
      `UPDATE change SET generation = generation + 1, queued_at = now()
       WHERE snapshot_id IN (
         SELECT snapshot_id FROM change WHERE state = 'queued' AND queued_at < now() - $1::int * interval '1 ms'
         ORDER BY snapshot_id LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING snapshot_id AS id, generation`,
      [olderThanMs, limit],
    ),
  rowsPerMessage: changesPerMessageMax,
  body: (snapshotIds) => ({ snapshotIds }),
};
