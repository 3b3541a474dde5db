import type { Queryable } from "@web-tester/platform/database/database";
import { lostRows, type Recoverable } from "../leases/lost-rows.js";
import { progressColumns } from "./run-counters.js";
import type { RunProgress } from "./run-progress.js";

/* The object is locked first, so that no snapshots are added to its pages or removed between the statements of a batch. */
const lockObject = `
  SELECT id FROM test_object WHERE id = (SELECT test_object_id FROM run WHERE id = $1) FOR NO KEY UPDATE`;

/** Locks a run, so that two workers that got the same message are serialised; returns no row for a run that is over. */
const lock = `SELECT id, test_object_id, kind FROM run WHERE id = $1 AND state = 'running' AND kind LIKE 'delete-%' FOR UPDATE`;

export interface LockedDeletion {
  id: string;
  test_object_id: string;
  kind: string;
}

export async function lockDeletion(tx: Queryable, runId: string): Promise<LockedDeletion | null> {
  await tx.query(lockObject, [runId]);
  const [row] = await tx.query<LockedDeletion>(lock, [runId]);
  return row ?? null;
}

const count = `
  UPDATE run SET completed = completed + $2, total = greatest(total, completed + $2) WHERE id = $1 RETURNING ${progressColumns}`;

/** @param gone rows that count in the run; if rows were added meanwhile, the total is raised */
export async function countDeleted(tx: Queryable, runId: string, gone: number): Promise<RunProgress> {
  return only(await tx.query<RunProgress>(count, [runId, gone]));
}

const finish = `
  UPDATE run SET state = 'finished', total = completed, finished_at = now() WHERE id = $1 RETURNING ${progressColumns}`;

/** Ends a deletion: its total becomes the number that was deleted, even if others deleted a part. */
export async function finishDeletion(tx: Queryable, runId: string): Promise<RunProgress> {
  return only(await tx.query<RunProgress>(finish, [runId]));
}

function only(rows: readonly RunProgress[]): RunProgress {
  const [row] = rows;
  if (row === undefined) throw new Error("UPDATE … RETURNING of a locked run gave no row");
  return row;
}

const idle = `
  SELECT id FROM run r WHERE state = 'running' AND kind LIKE 'delete-%' AND CASE WHEN kind = 'delete-snapshots'
    THEN NOT EXISTS (SELECT 1 FROM test_instance WHERE test_object_id = r.test_object_id AND snapshots_total > 0)
    ELSE NOT EXISTS (SELECT 1 FROM test_instance WHERE test_object_id = r.test_object_id) END
  ORDER BY id LIMIT 100`;

/** Deletions that have nothing left to delete. */
export async function idleDeletions(db: Queryable): Promise<string[]> {
  return (await db.query<{ id: string }>(idle)).map(({ id }) => id);
}

/** Recovers deletions that lost their message. They have no lease: the run's row lock keeps two workers apart. */
export const lostDeletions: Pick<Recoverable<"delete">, "name" | "requeueExpired" | "waiting" | "takeLost" | "body"> = {
  name: "delete",
  requeueExpired: async () => 0,
  // a message names exactly one run; so few rows at once are never put into one message
  ...lostRows({ table: "run", key: "id", waiting: "state = 'running' AND kind LIKE 'delete-%'", atOnce: 2 }),
  body: ([runId]) => {
    if (runId === undefined) throw new Error("a message of no run");
    return { runId };
  },
};
