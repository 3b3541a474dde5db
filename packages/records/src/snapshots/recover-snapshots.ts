import { pagesPerFetchMin } from "../runs/chunk-rows.js";
import { endIdleFetches } from "../runs/end-run.js";
import { fetchProgress } from "../runs/run-progress.js";
import { type LostRow, type Recoverable, waitingAddresses } from "../leases/lost-rows.js";

/** Recovers fetch work that lost its message or its worker. */
export const recoverSnapshots: Recoverable<"fetch"> = {
  name: "fetch",
  rowsPerMessage: pagesPerFetchMin,
  async requeueExpired(db) {
    const rows = await db.query(`
      UPDATE test_snapshot SET state = 'queued', queued_at = now(), lease_until = NULL
      WHERE id IN (SELECT id FROM test_snapshot WHERE state = 'running' AND lease_until < now() ORDER BY id LIMIT 10000 FOR UPDATE SKIP LOCKED)
      RETURNING id`);
    return rows.length;
  },
  waiting: (db, olderThanMs) =>
    db.query<{ lane: string; partition: number }>(waitingAddresses("test_snapshot", "lane", "partition"), [
      olderThanMs,
    ]),
  takeLost: (db, address, olderThanMs, limit, except) =>
    db.query<LostRow>(
      `UPDATE test_snapshot s SET generation = s.generation + 1, queued_at = now()
       FROM test_instance i
       WHERE i.id = s.test_instance_id AND s.id IN (
         SELECT id FROM test_snapshot
         WHERE state = 'queued' AND queued_at < now() - $1::int * interval '1 ms' AND lane = $2 AND partition = $3 AND id <> ALL($5::uuid[])
         ORDER BY id LIMIT $4 FOR UPDATE SKIP LOCKED)
       RETURNING s.id, s.generation, split_part(i.url, '/', 3) AS host`,
      [olderThanMs, address.lane, address.partition, limit, except],
    ),
  endIdle: async (db) => (await endIdleFetches(db)).map(fetchProgress),
  body: (snapshotIds, host) => ({ snapshotIds, host }),
};
