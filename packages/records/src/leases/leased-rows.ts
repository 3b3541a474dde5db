import type { Queryable } from "@web-tester/platform/database/database";
import { stateIs } from "./state-is.js";

/** Tables whose rows a worker holds by lease and fence. */
export type LeasedTable = "test_snapshot" | "crawl_page";

/** A row that a worker has leased. Its fence (a number that grows with each claim) proves that no other worker has taken it since. */
interface HeldRow {
  id: string;
  fence: number;
}

/** After this many claims that ended with the death of their worker, a row is processed alone. */
const deathsTogether = 2;

const free = `(${stateIs("state", "queued")} OR (${stateIs("state", "running")} AND lease_until < now()))`;
/* Every claim is either released uncounted or counted as a failure of the page; if neither happened, its worker died. */
const suspect = `attempts - failures >= ${deathsTogether}`;

/**
 * SQL: the beginning of a statement that claims the rows with ids `$1` for `$2` milliseconds, as CTE `claimed`. Takes queued rows, and
 * running ones whose lease has ended, with a new fence; finished rows and those leased by other workers are left out, so a message that
 * comes twice does its work only once. Rows whose workers died several times are left out too; if `$3` is true, exactly one of them is
 * claimed and nothing else, so that a row that crashes workers takes no other rows with it.
 * @param more columns of the claimed rows, besides id, fence, attempts and failures
 */
export function claimRows(table: LeasedTable, more: readonly string[]): string {
  const returned = ["id", "fence", "attempts", "failures", ...more].map((column) => `r.${column}`).join(", ");
  return `
  WITH picked AS (
    SELECT id FROM ${table}
    WHERE id = ANY($1) AND ${free} AND (${suspect}) = $3::boolean
    ORDER BY CASE WHEN $3 THEN attempts - failures END, id LIMIT CASE WHEN $3 THEN 1 END FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE ${table} r
    SET state = 'running', attempts = r.attempts + 1, fence = r.fence + 1, lease_until = now() + $2::int * interval '1 ms'
    FROM picked WHERE r.id = picked.id
    RETURNING ${returned}
  )`;
}

/** Unfinished rows of a message that a claim left out. */
export interface LeftOut {
  /** Some rows have to be processed alone. */
  hasSuspects: boolean;
  /** The longest time in milliseconds until another worker's lease ends; null when there is none. */
  heldForMs: number | null;
}

export async function whatIsLeftOut(db: Queryable, table: LeasedTable, ids: readonly string[]): Promise<LeftOut> {
  const [left] = await db.query<LeftOut>(
    `SELECT coalesce(bool_or(${free} AND ${suspect}), false) AS "hasSuspects",
            (extract(epoch FROM max(lease_until) FILTER (WHERE state = 'running' AND lease_until >= now()) - now()) * 1000)::float8 AS "heldForMs"
     FROM ${table} WHERE id = ANY($1)`,
    [ids],
  );
  return left ?? { hasSuspects: false, heldForMs: null };
}

const stillHeld = `
  FROM unnest($1::uuid[], $2::int[]) AS held (id, fence)
  WHERE r.id = held.id AND r.fence = held.fence AND ${stateIs("r.state", "running")}`;

/**
 * Renews the leases of rows.
 * @returns ids that this worker still holds; the others were cancelled, deleted or claimed by another worker
 */
export async function renewRows(
  db: Queryable,
  table: LeasedTable,
  held: readonly HeldRow[],
  leaseMs: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `UPDATE ${table} r SET lease_until = now() + $3::int * interval '1 ms' ${stillHeld} RETURNING r.id`,
    [...heldColumns(held), leaseMs],
  );
  return rows.map((row) => row.id);
}

/** Whether this worker still holds a row; writes nothing. */
export async function isHeld(db: Queryable, table: LeasedTable, { id, fence }: HeldRow): Promise<boolean> {
  const rows = await db.query(`SELECT 1 FROM ${table} WHERE id = $1 AND fence = $2 AND state = 'running'`, [id, fence]);
  return rows.length > 0;
}

/**
 * Releases rows to be retried. `uncounted`: the attempt does not count, because the fault was ours; otherwise it counts as a failure of the
 * page or its server.
 */
export async function releaseRows(
  db: Queryable,
  table: LeasedTable,
  held: readonly HeldRow[],
  uncounted: boolean,
): Promise<void> {
  await db.query(
    `UPDATE ${table} r
     SET state = 'queued', queued_at = now(), lease_until = NULL,
         attempts = r.attempts - CASE WHEN $3 THEN 1 ELSE 0 END, failures = r.failures + CASE WHEN $3 THEN 0 ELSE 1 END
     ${stillHeld}`,
    [...heldColumns(held), uncounted],
  );
}

/**
 * Sorts rows by id, as all statements lock them that take many: otherwise one that stops a run and one that finishes some of its rows wait
 * for each other, until PostgreSQL aborts one of them after a second.
 */
export const inLockOrder = <Row extends { id: string }>(rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => (one.id < other.id ? -1 : 1));

/** Parameters of `stillHeld`. */
export function heldColumns(held: readonly HeldRow[]): [ids: string[], fences: number[]] {
  const rows = inLockOrder(held);
  return [rows.map((row) => row.id), rows.map((row) => row.fence)];
}

/** Shortens leases that would last for longer than `longestMs` to `leaseMs`. */
export async function endLongLeases(
  tx: Queryable,
  table: LeasedTable,
  { leaseMs, longestMs }: { leaseMs: number; longestMs: number },
): Promise<void> {
  await tx.query(
    `UPDATE ${table} SET lease_until = now() + $1::int * interval '1 ms' WHERE state = 'running' AND lease_until > now() + $2::int * interval '1 ms'`,
    [leaseMs, longestMs],
  );
}

/** Lets rows that are queued at a time to come wait from now on. */
export async function queueNow(tx: Queryable, table: LeasedTable): Promise<void> {
  await tx.query(`UPDATE ${table} SET queued_at = now() WHERE state = 'queued' AND queued_at > now()`);
}
