import { type RunKind, runKind } from "@web-tester/contracts/entities/vocabulary";
import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import type { Logger } from "@web-tester/platform/log/logger";
import { wholeRemovalOf } from "@web-tester/records/removals/plan-removal";
import { notFound } from "../http/not-found.js";
import { conflictOf, isDeletion, type RunningRun, runWords } from "./conflict.js";

/** What the functions that start runs depend on. */
export interface StartParts {
  db: Database;
  bus: Bus;
  log: Logger;
  /** Requests in flight per host: decides how many rows a message carries. */
  hostConcurrency: number;
}

export interface LockedObject {
  id: string;
  name: string;
  url: string;
  dropParams: string[];
}

// NO KEY UPDATE does not block crawlers and fetchers, whose foreign keys lock the row FOR KEY SHARE
const lock = `SELECT id, name, url, drop_params AS "dropParams", deleting FROM test_object WHERE id = $1 FOR NO KEY UPDATE`;
const running = `SELECT id, kind, completed, total, created_at AS "startedAt" FROM run WHERE test_object_id = $1 AND state = 'running'`;
/**
 * Locks an object for starting a run of one kind; of two starts at the same time the second waits here and then sees the first.
 * @throws AppError not_found, conflict
 */
export async function lockForStart(tx: Queryable, objectId: string, kind: RunKind): Promise<LockedObject> {
  const [object] = await tx.query<LockedObject & { deleting: boolean }>(lock, [objectId]);
  if (object === undefined) throw notFound("test object", objectId);
  const rows = await tx.query<Omit<RunningRun, "kind"> & { kind: string }>(running, [objectId]);
  const conflict = conflictOf(
    kind,
    rows.map((row) => ({ ...row, kind: runKind.parse(row.kind) })),
  );
  if (conflict !== null) throw conflict;
  if (object.deleting && kind !== "delete-object")
    throw new AppError("conflict", `“${object.name}” is being deleted, so no new run can start.`);
  // a run started now would be deleted with everything else when the time to undo is over
  const going = isDeletion(kind) ? null : await wholeRemovalOf(tx, objectId);
  if (going !== null)
    throw new AppError(
      "conflict",
      `${runWords[going]} “${object.name}” was asked for and can still be undone. Undo it, or wait until it is done and try again.`,
    );
  return { id: object.id, name: object.name, url: object.url, dropParams: object.dropParams };
}
