import type { MessageName } from "@web-tester/contracts/messages";
import type { ProductEvent } from "@web-tester/contracts/socket";
import type { OutgoingWork } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";

/** A row without a message; `generation` is already raised, so that a new message is not taken for a repeated one. */
export interface LostRow {
  id: string;
  generation: number;
  /** The host (`URL.host`) that the work asks, for work that is limited by host. */
  host?: string;
}

/** How lost work of one kind is found again. */
export interface Recoverable<N extends MessageName> {
  name: N;
  /** Gives rows whose lease ran out back to queued. @returns how many */
  requeueExpired(db: Database): Promise<number>;
  /** Addresses that have rows queued for longer than `olderThanMs`. */
  waiting(db: Queryable, olderThanMs: number): Promise<{ lane: string | null; partition: number | null }[]>;
  /** Raises the generation of at most `limit` waiting rows of one address and returns them; rows `except` are left out. */
  takeLost(
    db: Database,
    address: { lane: string | null; partition: number | null },
    olderThanMs: number,
    limit: number,
    except: readonly string[],
  ): Promise<LostRow[]>;
  /** Ends runs of this work that are running and have nothing left that could end them. @returns what to tell browsers */
  endIdle?(db: Database): Promise<ProductEvent[]>;
  /** @param host of all of these rows, where they have one */
  body(ids: string[], host?: string): OutgoingWork<N>["body"];
  /** Rows per message, where that is not `rowsPerMessageMax`. */
  rowsPerMessage?: number;
}

/**
 * SQL: addresses that have rows queued for longer than `$1` milliseconds. It looks at one row of each address, however many wait: every
 * worker asks every few seconds.
 * @param table
 * @param first, second columns of an address, with which the index of the table's queued rows begins, before `queued_at`
 */
export const waitingAddresses = (table: string, first: string, second: string) => `
  WITH RECURSIVE address AS (
    (SELECT ${first}, ${second} FROM ${table} WHERE state = 'queued' ORDER BY 1, 2 LIMIT 1)
    UNION ALL
    SELECT n.* FROM address a CROSS JOIN LATERAL (
      SELECT ${first}, ${second} FROM ${table} WHERE state = 'queued' AND (${first}, ${second}) > (a.${first}, a.${second}) ORDER BY 1, 2 LIMIT 1
    ) n
  )
  SELECT a.* FROM address a CROSS JOIN LATERAL (
    SELECT FROM ${table} WHERE state = 'queued' AND ${first} = a.${first} AND ${second} = a.${second} AND queued_at < now() - $1::int * interval '1 ms'
    ORDER BY queued_at LIMIT 1
  ) w`;

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
    async waiting(db: Queryable, olderThanMs: number) {
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
