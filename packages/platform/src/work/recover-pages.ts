import type { LostRow, Recoverable } from "./reconcile.js";

/** Crawl work that lost its message or its worker. */
export const recoverPages: Recoverable<"crawl"> = {
  name: "crawl",
  async requeueExpired(db) {
    const rows = await db.query(`
      UPDATE crawl_page SET state = 'queued', queued_at = now(), lease_until = NULL
      WHERE id IN (SELECT id FROM crawl_page WHERE state = 'running' AND lease_until < now() ORDER BY id LIMIT 10000 FOR UPDATE SKIP LOCKED)
      RETURNING id`);
    return rows.length;
  },
  async waiting(db, olderThanMs) {
    const rows = await db.query<{ partition: number }>(
      `SELECT DISTINCT partition FROM crawl_page WHERE state = 'queued' AND queued_at < now() - $1::int * interval '1 ms'`,
      [olderThanMs],
    );
    return rows.map(({ partition }) => ({ lane: null, partition }));
  },
  takeLost: (db, address, olderThanMs, limit) =>
    db.query<LostRow>(
      `UPDATE crawl_page SET generation = generation + 1, queued_at = now()
       WHERE id IN (
         SELECT id FROM crawl_page
         WHERE state = 'queued' AND queued_at < now() - $1::int * interval '1 ms' AND partition = $2
         ORDER BY id LIMIT $3 FOR UPDATE SKIP LOCKED)
       RETURNING id, generation`,
      [olderThanMs, address.partition, limit],
    ),
  body: (pageIds) => ({ pageIds }),
};
