import type { Queryable } from "../database.js";

/** Tables whose rows a worker holds by lease and fence. */
type LeasedTable = "test_snapshot" | "crawl_page";

/** A row in a worker's hands; the fence proves it. */
interface HeldRow {
  id: string;
  fence: number;
}

/**
 * The beginning of a statement that claims the rows named by `$1` for `$2` milliseconds; `claimed` holds them. Takes queued
 * rows and running ones whose lease ran out, under a new fence; rows past this state or in another worker's hands are left
 * out, so a message that comes twice does its work once.
 * @param more columns of the claimed rows, beside id, fence and attempts
 */
export function claimRows(table: LeasedTable, more: readonly string[]): string {
  const returned = ["id", "fence", "attempts", ...more].map((column) => `r.${column}`).join(", ");
  return `
  WITH picked AS (
    SELECT id FROM ${table}
    WHERE id = ANY($1) AND (state = 'queued' OR (state = 'running' AND lease_until < now()))
    ORDER BY id FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE ${table} r
    SET state = 'running', attempts = r.attempts + 1, fence = r.fence + 1, lease_until = now() + $2::int * interval '1 ms'
    FROM picked WHERE r.id = picked.id
    RETURNING ${returned}
  )`;
}

const stillHeld = `
  FROM unnest($1::uuid[], $2::int[]) AS held (id, fence)
  WHERE r.id = held.id AND r.fence = held.fence AND r.state = 'running'`;

/** Keeps rows in this worker's hands. @returns ids still held; the others were cancelled, deleted or given away */
export async function renewRows(
  db: Queryable,
  table: LeasedTable,
  held: readonly HeldRow[],
  leaseMs: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `UPDATE ${table} r SET lease_until = now() + $3::int * interval '1 ms' ${stillHeld} RETURNING r.id`,
    [...columns(held), leaseMs],
  );
  return rows.map((row) => row.id);
}

/** Whether a row is still in this worker's hands, read only. */
export async function isHeld(db: Queryable, table: LeasedTable, { id, fence }: HeldRow): Promise<boolean> {
  const rows = await db.query(`SELECT 1 FROM ${table} WHERE id = $1 AND fence = $2 AND state = 'running'`, [id, fence]);
  return rows.length > 0;
}

/** Gives rows back to be tried again; `uncounted` takes the attempt back (it was our fault, not the page's). */
export async function releaseRows(
  db: Queryable,
  table: LeasedTable,
  held: readonly HeldRow[],
  uncounted: boolean,
): Promise<void> {
  await db.query(
    `UPDATE ${table} r
     SET state = 'queued', queued_at = now(), lease_until = NULL, attempts = r.attempts - CASE WHEN $3 THEN 1 ELSE 0 END
     ${stillHeld}`,
    [...columns(held), uncounted],
  );
}

function columns(held: readonly HeldRow[]): [string[], number[]] {
  return [held.map((row) => row.id), held.map((row) => row.fence)];
}
