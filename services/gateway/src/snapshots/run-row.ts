import type { Run } from "@web-tester/contracts/entities/run";
import { startedBy } from "@web-tester/contracts/entities/schedule";
import { budgetName, runKind, runState } from "@web-tester/contracts/entities/vocabulary";
import type { Queryable } from "@web-tester/platform/database/database";
import { type PreparedStatement, sharedRead } from "@web-tester/platform/database/statement";

interface RunRow {
  id: string;
  test_object_id: string;
  kind: string;
  state: string;
  total: number;
  completed: number;
  failed: number;
  stopped: number;
  changed: number;
  found: number;
  found_new: number;
  ended_by: string | null;
  started_by: string;
  started_name: string | null;
  label: string | null;
  created_at: Date;
  finished_at: Date | null;
}

const columns = `id, test_object_id, kind, state, total, completed, failed, stopped, changed, found, found_new, ended_by, started_by, started_name, label, created_at, finished_at`;

const byId = sharedRead(`SELECT ${columns} FROM run WHERE id = $1`);
const newest = sharedRead(`SELECT ${columns} FROM run WHERE test_object_id = $1 ORDER BY id DESC LIMIT $2`);

export async function selectRun(db: Queryable, id: string): Promise<Run | null> {
  const [row] = await db.query<RunRow>(byId, [id]);
  return row === undefined ? null : toRun(row);
}

const withPending = sharedRead(`
  SELECT ${columns}, (SELECT count(*) FROM change c WHERE c.run_id = run.id AND c.state <> 'done')::int AS pending
  FROM run WHERE id = $1`);

/** Selects a run, and how many of its fetched snapshots are not compared yet, which fits its counters. */
export async function selectRunWithPending(db: Queryable, id: string): Promise<(Run & { pending: number }) | null> {
  const [row] = await db.query<RunRow & { pending: number }>(withPending, [id]);
  if (row === undefined) return null;
  const { pending, ...run } = row;
  return { ...toRun(run), pending };
}

/** A filter of an object's runs. */
interface RunsAsked {
  limit: number;
  label?: string | undefined;
  /** One kind, or several separated by commas. */
  kind?: string | undefined;
  /** Only runs that are older than the one with this id. */
  cursor?: string | undefined;
}

/**
 * Selects runs of an object, newest first, with the cursor of the next page.
 * @returns null where there is no such object
 */
export async function selectRunsOf(
  db: Queryable,
  objectId: string,
  asked: RunsAsked,
): Promise<{ items: Run[]; nextCursor: string | null } | null> {
  const { limit } = asked;
  const { sql, values } = questionFor(asked);
  // one row more than is shown tells whether there are more
  const rows = await db.query<RunRow>(sql, [objectId, limit + 1, ...values]);
  const items = rows.slice(0, limit).map(toRun);
  if (items.length > 0) return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  const [object] = await db.query(`SELECT 1 FROM test_object WHERE id = $1`, [objectId]);
  return object === undefined ? null : { items, nextCursor: null };
}

/**
 * Builds the query. It contains only the conditions that are asked for, so that each combination uses its index; several kinds are
 * selected separately, since thousands of other runs may be newer.
 */
function questionFor({ label, kind, cursor }: RunsAsked): {
  sql: string | PreparedStatement;
  values: (string | string[])[];
} {
  const kinds = kind === undefined ? [] : [[...new Set(kind.split(","))]];
  const given = [
    ["label =", label],
    ["id <", cursor],
  ].flatMap(([is, value]) => (value === undefined ? [] : [{ is, value }]));
  const conditions = given.map(({ is }, index) => ` AND ${is} $${index + 3 + kinds.length}`).join("");
  const values = [...kinds, ...given.map(({ value }) => value)];
  const ofObject = (more: string) =>
    `SELECT ${columns} FROM run WHERE test_object_id = $1${more}${conditions} ORDER BY id DESC LIMIT $2`;
  if (kinds.length === 0) return { sql: values.length === 0 ? newest : ofObject(""), values };
  const sql = `
SELECT found.* FROM unnest($3::text[]) AS wanted (kind)
  CROSS JOIN LATERAL (${ofObject(" AND kind = wanted.kind")}) AS found
 ORDER BY found.id DESC LIMIT $2`;
  return { sql, values };
}

function toRun({
  test_object_id,
  kind,
  state,
  ended_by,
  started_by,
  created_at,
  finished_at,
  ...counters
}: RunRow): Run {
  return {
    ...counters,
    testobject_id: test_object_id,
    kind: runKind.parse(kind),
    state: runState.parse(state),
    ended_by: ended_by === null ? null : budgetName.parse(ended_by),
    started_by: startedBy.parse(started_by),
    created_at: created_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
  };
}
