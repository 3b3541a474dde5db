import type { Run } from "@web-tester/contracts/entities/run";
import { startedBy } from "@web-tester/contracts/entities/schedule";
import { budgetName, runKind, runState } from "@web-tester/contracts/entities/vocabulary";
import type { Queryable } from "@web-tester/platform/database/database";
import { sharedRead } from "@web-tester/platform/database/statement";

interface RunRow {
  id: string;
  test_object_id: string;
  kind: string;
  state: string;
  total: number;
  completed: number;
  failed: number;
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

const columns = `id, test_object_id, kind, state, total, completed, failed, changed, found, found_new, ended_by, started_by, started_name, label, created_at, finished_at`;

const byId = sharedRead(`SELECT ${columns} FROM run WHERE id = $1`);
const ofObject = sharedRead(`SELECT ${columns} FROM run WHERE test_object_id = $1 ORDER BY id DESC LIMIT $2`);

export async function selectRun(db: Queryable, id: string): Promise<Run | null> {
  const [row] = await db.query<RunRow>(byId, [id]);
  return row === undefined ? null : toRun(row);
}

const withPending = sharedRead(`
  SELECT ${columns}, (SELECT count(*) FROM change c WHERE c.run_id = run.id AND c.state <> 'done')::int AS pending
  FROM run WHERE id = $1`);

/** The same with how many of its snapshots are fetched and not compared yet, which its counters fit. */
export async function selectRunWithPending(db: Queryable, id: string): Promise<(Run & { pending: number }) | null> {
  const [row] = await db.query<RunRow & { pending: number }>(withPending, [id]);
  if (row === undefined) return null;
  const { pending, ...run } = row;
  return { ...toRun(run), pending };
}

/** Which runs of an object are meant, and how many of them. */
interface RunsAsked {
  limit: number;
  label?: string | undefined;
  kind?: Run["kind"] | undefined;
  /** Those before this one. */
  cursor?: string | undefined;
}

/** Newest first, with the cursor of those behind them. @returns null where there is no such object */
export async function selectRunsOf(
  db: Queryable,
  objectId: string,
  asked: RunsAsked,
): Promise<{ items: Run[]; nextCursor: string | null } | null> {
  const { limit } = asked;
  const { conditions, values } = conditionsOf(asked);
  // one more than is shown says whether there are more
  const rows = await db.query<RunRow>(
    conditions.length === 0
      ? ofObject
      : `SELECT ${columns} FROM run WHERE test_object_id = $1 AND ${conditions.join(" AND ")} ORDER BY id DESC LIMIT $2`,
    [objectId, limit + 1, ...values],
  );
  const items = rows.slice(0, limit).map(toRun);
  if (items.length > 0) return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  const [object] = await db.query(`SELECT 1 FROM test_object WHERE id = $1`, [objectId]);
  return object === undefined ? null : { items, nextCursor: null };
}

/** Only what is asked for stands in the statement, so that each has the index that it needs. */
function conditionsOf({ label, kind, cursor }: RunsAsked): { conditions: string[]; values: string[] } {
  const given = [
    ["label =", label],
    ["kind =", kind],
    ["id <", cursor],
  ].flatMap(([is, value]) => (value === undefined ? [] : [{ is, value }]));
  return {
    conditions: given.map(({ is }, index) => `${is} $${index + 3}`),
    values: given.map(({ value }) => value),
  };
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
