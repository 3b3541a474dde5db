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
const labelled = `SELECT ${columns} FROM run WHERE test_object_id = $1 AND label = $3 ORDER BY id DESC LIMIT $2`;

export async function selectRun(db: Queryable, id: string): Promise<Run | null> {
  const [row] = await db.query<RunRow>(byId, [id]);
  return row === undefined ? null : toRun(row);
}

/** Newest first. @param label of those that are meant; undefined: all @returns null where there is no such object */
export async function selectRunsOf(
  db: Queryable,
  objectId: string,
  { limit, label }: { limit: number; label?: string | undefined },
): Promise<Run[] | null> {
  const rows =
    label === undefined
      ? await db.query<RunRow>(ofObject, [objectId, limit])
      : await db.query<RunRow>(labelled, [objectId, limit, label]);
  if (rows.length > 0) return rows.map(toRun);
  const [object] = await db.query(`SELECT 1 FROM test_object WHERE id = $1`, [objectId]);
  return object === undefined ? null : [];
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
