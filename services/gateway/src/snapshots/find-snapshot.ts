import { AppError } from "@web-tester/contracts/errors";
import { assertNever } from "@web-tester/contracts/assert-never";
import type { Queryable } from "@web-tester/platform/database/database";
import { notFound } from "../http/not-found.js";
import { selectSnapshot, selectSnapshotAt, type WholeSnapshotRow } from "./select-snapshots.sql.js";

/**
 * How one side of a comparison is named: by a snapshot; by an instance and an index (0 = latest finished); or by an id of either,
 * where an instance stands for its latest finished snapshot.
 */
export type SnapshotRef =
  | { by: "snapshot"; snapshotId: string; instanceId: string | null }
  | { by: "index"; instanceId: string; index: number }
  | { by: "either"; id: string };

/** A snapshot that has HTML. */
export type FetchedSnapshot = WholeSnapshotRow & { hash: string };

/**
 * Finds the fetched snapshot that one side of a comparison names.
 * @throws AppError not_found; invalid_input where the snapshot has no HTML
 */
export async function findFetched(db: Queryable, ref: SnapshotRef): Promise<FetchedSnapshot> {
  const row = await find(db, ref);
  if (row.hash !== null) return { ...row, hash: row.hash };
  const why =
    row.state === "failed"
      ? `its fetch failed (${row.error?.replace(/\.$/, "") ?? "no reason kept"})`
      : row.state === "cancelled"
        ? "its fetch was stopped"
        : "it is not fetched yet";
  throw new AppError(
    "invalid_input",
    `Snapshot #${row.number} of ${row.instance_url} has no HTML to compare: ${why}. Choose one that is finished.`,
  );
}

async function find(db: Queryable, ref: SnapshotRef): Promise<WholeSnapshotRow> {
  switch (ref.by) {
    case "snapshot": {
      const row = await selectSnapshot(db, ref.snapshotId);
      if (row === null) throw notFound("snapshot", ref.snapshotId);
      if (ref.instanceId !== null && row.test_instance_id !== ref.instanceId)
        throw new AppError(
          "not_found",
          `Snapshot ${ref.snapshotId} is not one of instance ${ref.instanceId}. Choose a snapshot of that instance.`,
        );
      return row;
    }
    case "index":
      return findAt(db, ref.instanceId, ref.index, "instance");
    case "either":
      return (await selectSnapshot(db, ref.id)) ?? findAt(db, ref.id, 0, "snapshot or instance");
    default:
      return assertNever(ref);
  }
}

/** @param what the id may stand for, for the error message */
async function findAt(db: Queryable, instanceId: string, index: number, what: string): Promise<WholeSnapshotRow> {
  const row = await selectSnapshotAt(db, instanceId, index);
  if (row !== null) return row;
  const [instance] = await db.query<{ finished: number; url: string }>(
    `SELECT url, (SELECT count(*)::int FROM test_snapshot WHERE test_instance_id = $1 AND state = 'done') AS finished FROM test_instance WHERE id = $1`,
    [instanceId],
  );
  if (instance === undefined) throw notFound(what, instanceId);
  throw new AppError(
    "not_found",
    `${instance.url} has ${instance.finished} finished snapshots, none at index ${index}. ${instance.finished === 0 ? "Fetch one first." : `Choose an index from 0 (latest) to ${instance.finished - 1}.`}`,
  );
}
