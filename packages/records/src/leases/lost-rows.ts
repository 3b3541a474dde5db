import type { MessageName } from "@web-tester/contracts/messages";
import type { ProductEvent } from "@web-tester/contracts/socket";
import type { OutgoingWork } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";

/** A row without a message; its `generation` is already raised, so that the new message is not dropped as a duplicate. */
export interface LostRow {
  id: string;
  generation: number;
  /** The host (`URL.host`) that the work sends requests to, for work that is limited by host. */
  host?: string;
}

/** How the reconciler recovers lost work of one kind. */
export interface Recoverable<N extends MessageName> {
  name: N;
  /** Queues rows again whose lease has ended. @returns how many */
  requeueExpired(db: Database): Promise<number>;
  /** Returns the addresses that have rows queued for longer than `olderThanMs`. */
  waiting(db: Queryable, olderThanMs: number): Promise<{ lane: string | null; partition: number | null }[]>;
  /** Raises the generation of at most `limit` waiting rows of one address and returns them; rows `except` are left out. */
  takeLost(
    db: Database,
    address: { lane: string | null; partition: number | null },
    olderThanMs: number,
    limit: number,
    except: readonly string[],
  ): Promise<LostRow[]>;
  /** Ends runs of this work that are running although nothing is left that could end them. @returns the events for browsers */
  endIdle?(db: Database): Promise<ProductEvent[]>;
  /** Builds the body of a message. @param host the host of all of these rows, if they have one */
  body(ids: string[], host?: string): OutgoingWork<N>["body"];
  /** Rows per message, if that is not `rowsPerMessageMax`. */
  rowsPerMessage?: number;
}

/**
 * SQL: addresses that have rows queued for longer than `$1` milliseconds. It reads only one row of each address, however many wait, because
 * every worker runs it every few seconds.
 * @param table
 * @param first, second columns of an address; the index of the table's queued rows must begin with them, followed by `queued_at`
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
 * Recovers work without addresses and leases: rows of one table that have waited too long for their message.
 * @param rows the table, its key, an SQL condition for waiting rows, and the most rows that one pass takes
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
