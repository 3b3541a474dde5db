import type { Queryable } from "@web-tester/platform/db/database";
import { prepared, type Statement } from "@web-tester/platform/db/statement";
import type { TickRow } from "../rows/snapshot-status.js";

/** As JSON: times as texts. */
export interface InstanceRow {
  id: string;
  name: string;
  url: string;
  created_at: string;
  snapshots_total: number;
  /** Position in the contract's instanceStatus. */
  status: number;
  http_status: number | null;
  error: string | null;
  lines_added: number;
  lines_removed: number;
  last_snapshot_at: string | null;
  /** Newest first; null where there are none. */
  history: TickRow[] | null;
}

export interface InstanceFilter {
  objectId: string;
  /** Position in instanceStatus, or null for all. */
  status: number | null;
  /** Text that name or URL contains, or null for all. */
  text: string | null;
}

const ticks = 14;

/* Everything in one statement, and one row: each trip to the database costs the gateway as much as the rest of the answer. */
const select = (where: string) => `
  SELECT t.total, coalesce(p.items, '[]') AS items
  FROM test_object o
  CROSS JOIN LATERAL (SELECT count(*)::int AS total FROM test_instance WHERE test_object_id = $1${where}) t
  CROSS JOIN LATERAL (
    SELECT json_agg(i ORDER BY i.status, i.url) AS items
    FROM (
      SELECT i.*, h.history
      FROM (
        SELECT id, name, url, created_at, snapshots_total, status, http_status, error, lines_added, lines_removed, last_snapshot_at
        FROM test_instance WHERE test_object_id = $1${where} ORDER BY status, url LIMIT $2 OFFSET $3
      ) i
      CROSS JOIN LATERAL (
        SELECT json_agg(t ORDER BY t.id DESC) AS history
        FROM (
          SELECT s.id, s.state, c.kind AS change, coalesce(c.lines_added + c.lines_removed, 0) AS size
          FROM test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id
          WHERE s.test_instance_id = i.id ORDER BY s.id DESC LIMIT ${ticks}
        ) t
      ) h
    ) i
  ) p
  WHERE o.id = $1`;

const all = prepared(select(""));
const ofStatus = prepared(select(" AND status = $4"));
// how many a text is in hangs on the text
const withText = select(" AND (name ILIKE $4 OR url ILIKE $4)");
const ofStatusWithText = select(" AND status = $4 AND (name ILIKE $5 OR url ILIKE $5)");

/**
 * One page of an object's instances, those that need eyes first (the index instance_order gives the order), and how many there
 * are in all. @returns null where there is no such object
 */
export async function selectInstances(
  db: Queryable,
  { objectId, status, text }: InstanceFilter,
  limit: number,
  offset: number,
): Promise<{ items: InstanceRow[]; total: number } | null> {
  const values = [status, text === null ? null : `%${escapeLike(text)}%`].filter((value) => value !== null);
  const [row] = await db.query<{ items: InstanceRow[]; total: number }>(statementFor(status, text), [
    objectId,
    limit,
    offset,
    ...values,
  ]);
  return row ?? null;
}

function statementFor(status: number | null, text: string | null): Statement {
  if (text !== null) return status === null ? withText : ofStatusWithText;
  return status === null ? all : ofStatus;
}

/** Takes the meaning from the wildcards of LIKE. */
export function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
