import { jobWords } from "@web-tester/contracts/job-lines";
import type { RunKind } from "@web-tester/contracts/entities/vocabulary";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import type { Logger } from "@web-tester/platform/log/logger";
import { announce } from "../http/announce.js";
import { markDeleting } from "@web-tester/records/objects/end-object";
import { cancelRest } from "@web-tester/records/runs/cancel-run";
import { stopAllOf } from "./cancel-run.js";
import { deletionEvent } from "../deletion/deletion-event.js";
import { takeRemoval } from "@web-tester/records/removals/due-removals";
import { insertRun } from "@web-tester/records/runs/start-run";
import { lockForStart } from "./start-run.js";

export type DeletionKind = Extract<RunKind, "delete-instances" | "delete-snapshots" | "delete-object">;

const totals: Readonly<Record<DeletionKind, string>> = {
  "delete-instances": `SELECT count(*)::int AS total FROM test_instance WHERE test_object_id = $1`,
  "delete-object": `SELECT count(*)::int AS total FROM test_instance WHERE test_object_id = $1`,
  "delete-snapshots": `SELECT coalesce(sum(snapshots_total), 0)::int AS total FROM test_instance WHERE test_object_id = $1`,
};

const runningDeletions = `SELECT id, kind, total FROM run WHERE test_object_id = $1 AND state = 'running' AND kind LIKE 'delete-%'`;

/**
 * Starts a deletion: crawls and fetches of the object are stopped at once, the rows are deleted in batches afterwards. Deleting the
 * object replaces a smaller deletion, and asking for it twice starts it once.
 * @param removalId the pending removal that this carries out, whose row is deleted with the start
 * @returns null where the removal was undone meanwhile
 * @throws AppError not_found, conflict
 */
export async function startDeletion(
  db: Database,
  bus: Bus,
  log: Logger,
  objectId: string,
  kind: DeletionKind,
  removalId: string | null = null,
): Promise<{ runId: string; total: number } | null> {
  const started = await db.transaction(async (tx) => {
    const object = await lockForStart(tx, objectId, kind);
    if (removalId !== null && !(await takeRemoval(tx, removalId))) return null;
    const known = kind === "delete-object" ? await replaceDeletions(tx, objectId) : null;
    if (known !== null) return { ...known, events: [], fresh: false, name: object.name };
    const events = await stopAllOf(tx, objectId);
    const [count] = await tx.query<{ total: number }>(totals[kind], [objectId]);
    const total = count?.total ?? 0;
    const runId = await insertRun(tx, objectId, kind, total);
    if (kind === "delete-object") await markDeleting(tx, objectId);
    return { runId, total, events, fresh: true, name: object.name };
  });
  if (started === null) return null;
  const { runId, total, fresh, events, name } = started;
  if (fresh) {
    for (const event of [...events, begun(runId, objectId, kind, total)]) bus.publishEvent(event);
    bus.logLine(runId, "info", jobWords(`${kind}-started`, { name, total }));
    await announce(bus, log, [{ name: "delete", body: { runId }, dedupeId: `${runId}:0` }]);
  }
  return { runId, total };
}

function begun(id: string, objectId: string, kind: DeletionKind, total: number) {
  const counts = { total, completed: 0, failed: 0, changed: 0, found: 0 };
  return deletionEvent({ id, test_object_id: objectId, kind, state: "running", ...counts });
}

/**
 * Ends smaller deletions of the object.
 * @returns the deletion of the whole object that is running already, or null
 */
async function replaceDeletions(tx: Queryable, objectId: string): Promise<{ runId: string; total: number } | null> {
  const rows = await tx.query<{ id: string; kind: string; total: number }>(runningDeletions, [objectId]);
  const same = rows.find((row) => row.kind === "delete-object");
  if (same !== undefined) return { runId: same.id, total: same.total };
  for (const row of rows) await cancelRest(tx, row.id);
  return null;
}
