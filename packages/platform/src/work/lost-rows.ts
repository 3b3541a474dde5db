import type { Database } from "../db/database.js";
import type { LostRow, Recoverable } from "./reconcile.js";

/**
 * How work without an address and without leases is found again: rows of one table that have waited for their message.
 * @param rows the table, its key, which of its rows wait (SQL), and how many one pass takes at most
 */
export function lostRows(rows: {
  table: string;
  key: string;
  waiting: string;
  atOnce?: number;
}): Pick<Recoverable<never>, "waiting" | "takeLost"> {
  const { table, key } = rows;
  const lost = `${rows.waiting} AND queued_at < now() - $1::int * interval '1 ms'`;
  return {
    async waiting(db: Database, olderThanMs: number) {
      const found = await db.query(`SELECT 1 FROM ${table} WHERE ${lost} LIMIT 1`, [olderThanMs]);
      return found.map(() => ({ lane: null, partition: null }));
    },
    takeLost: (db, _address, olderThanMs, limit, except) =>
      db.query<LostRow>(
        `UPDATE ${table} SET generation = generation + 1, queued_at = now()
         WHERE ${key} IN (SELECT ${key} FROM ${table} WHERE ${lost} AND ${key} <> ALL($3::uuid[]) ORDER BY ${key} LIMIT $2 FOR UPDATE SKIP LOCKED)
         RETURNING ${key} AS id, generation`,
        [olderThanMs, Math.min(limit, rows.atOnce ?? limit), except],
      ),
  };
}
