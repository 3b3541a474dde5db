import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Product } from "./product.js";

/**
 * Returns every violation of the invariants that hold once all work has ended, as sentences; empty when all is well. I1 one final
 * state · I2 one snapshot per run and instance · I3 blobs exist and hash to their key · I4 counters · I5 nothing unfinished · I6
 * nothing referenced is gone · I7 nothing acknowledged is lost.
 */
export async function invariantFaults({
  db,
  store,
  acknowledged,
}: Pick<Product, "db" | "store" | "acknowledged">): Promise<string[]> {
  return [
    ...(await rowFaults(db)),
    ...(await brokenContents({ db, store })),
    ...(await lostAcknowledged(db, acknowledged)),
  ];
}

/**
 * Checks what the rows alone tell: I1, I2, I4 and I5.
 * @param trimmed objects some of whose pages were deleted: finished runs keep their counts
 */
export async function rowFaults(db: Product["db"], trimmed: readonly string[] = []): Promise<string[]> {
  const faults: string[] = [];
  const found = async (what: string, sql: string, values: unknown[] = []) => {
    const rows = await db.query(sql, values);
    if (rows.length > 0) faults.push(`${what}: ${JSON.stringify(rows.slice(0, 3))} (${rows.length})`);
  };
  await found(
    "I1/I5 crawl pages not final",
    `SELECT url, state FROM crawl_page WHERE state NOT IN ('done', 'failed', 'cancelled')`,
  );
  await found(
    "I1/I5 snapshots not final",
    `SELECT id, state FROM test_snapshot WHERE state NOT IN ('done', 'failed', 'cancelled', 'created')`,
  );
  await found("I5 changes not recorded", `SELECT snapshot_id FROM change WHERE state <> 'done'`);
  await found("I5 runs not ended", `SELECT id, kind, completed, total FROM run WHERE state = 'running'`);
  await found(
    "I2 doubled snapshots",
    `SELECT run_id, test_instance_id FROM test_snapshot WHERE run_id IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1`,
  );
  await found(
    "I2 doubled instances",
    `SELECT test_object_id, url FROM test_instance GROUP BY 1, 2 HAVING count(*) > 1`,
  );
  await found(
    "I4 fetch counters",
    `SELECT r.id, r.total, r.completed, r.failed, count(s.*) AS rows FROM run r LEFT JOIN test_snapshot s ON s.run_id = r.id
     WHERE r.kind IN ('snapshot-all', 'snapshot-one') AND r.test_object_id <> ALL($1::uuid[]) GROUP BY r.id
     HAVING r.completed <> count(s.*) FILTER (WHERE s.state IN ('done', 'failed', 'cancelled')) OR r.failed <> count(s.*) FILTER (WHERE s.state = 'failed') OR r.total <> r.completed`,
    [trimmed],
  );
  await found(
    "I4 crawl counters",
    `SELECT r.id, r.total, r.completed, r.failed, count(p.*) AS rows FROM run r LEFT JOIN crawl_page p ON p.run_id = r.id
     WHERE r.kind = 'crawl' AND r.lists = 'kept' GROUP BY r.id
     HAVING r.completed <> count(p.*) FILTER (WHERE p.state IN ('done', 'failed', 'cancelled')) OR r.failed <> count(p.*) FILTER (WHERE p.state = 'failed') OR r.total <> r.completed OR r.total <> count(p.*)`,
  );
  await found(
    "I4 changed counters",
    `SELECT r.id, r.changed FROM run r LEFT JOIN test_snapshot s ON s.run_id = r.id LEFT JOIN change c ON c.snapshot_id = s.id
     WHERE r.kind IN ('snapshot-all', 'snapshot-one') AND r.test_object_id <> ALL($1::uuid[]) GROUP BY r.id HAVING r.changed <> count(*) FILTER (WHERE c.kind = 'changed')`,
    [trimmed],
  );
  await found(
    "done snapshots without content or change",
    `SELECT s.id FROM test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id WHERE s.state = 'done' AND (s.content_hash IS NULL OR c.snapshot_id IS NULL)`,
  );
  await found(
    "assets that are neither stored nor missing with a reason",
    `SELECT id, url FROM snapshot_asset WHERE (content_hash IS NULL) = (error IS NULL)`,
  );
  await found(
    "assets of snapshots that are not done",
    `SELECT id FROM test_snapshot WHERE files_id IS NOT NULL AND state <> 'done'`,
  );
  await found(
    "instances whose counts are not those of their snapshots",
    `SELECT i.url, i.snapshots_total, count(s.*) FROM test_instance i LEFT JOIN test_snapshot s ON s.test_instance_id = i.id GROUP BY i.id HAVING i.snapshots_total <> count(s.*)`,
  );
  await found(
    "instances whose size is not that of their newest content",
    `SELECT i.url, i.content_size FROM test_instance i WHERE i.content_size IS DISTINCT FROM (
       SELECT c.size FROM test_snapshot s JOIN content c ON c.hash = s.content_hash WHERE s.test_instance_id = i.id AND s.state = 'done' ORDER BY s.id DESC LIMIT 1)`,
  );
  await found(
    "objects whose totals are not those of their instances",
    `SELECT o.id, t, i FROM test_object o
     CROSS JOIN LATERAL (SELECT coalesce(sum(instances), 0) AS n, coalesce(sum(snapshots), 0) AS snapshots, coalesce(sum(changed), 0) AS changed, coalesce(sum(failed), 0) AS failed FROM object_total WHERE test_object_id = o.id) t
     CROSS JOIN LATERAL (SELECT count(*) AS n, coalesce(sum(snapshots_total), 0) AS snapshots, count(*) FILTER (WHERE status = 'changed') AS changed, count(*) FILTER (WHERE status = 'failed') AS failed FROM test_instance WHERE test_object_id = o.id) i
     WHERE (t.n, t.snapshots, t.changed, t.failed) <> (i.n, i.snapshots, i.changed, i.failed)`,
  );
  return faults;
}

/** Checks I3 and I6: every content that a row refers to exists and hashes to its key. */
async function brokenContents({ db, store }: Pick<Product, "db" | "store">): Promise<string[]> {
  const rows = await db.query<{ hash: Buffer; stored: boolean }>(
    `SELECT hash, stored FROM content WHERE hash IN (SELECT content_hash FROM test_snapshot UNION SELECT content_hash FROM snapshot_asset UNION SELECT content_hash FROM search_section)`,
  );
  const faults: string[] = [];
  for (const { hash, stored } of rows) {
    if (!stored) faults.push(`I3 content ${hash.toString("hex")} is referred to but not marked as stored`);
    // reading verifies the hash
    await store
      .read(hash)
      .catch((error: unknown) => faults.push(`I3 ${error instanceof Error ? error.message : String(error)}`));
  }
  return faults;
}

/** Lists the content files in a folder store. */
export async function storedFiles(storageUrl: string): Promise<string[]> {
  const entries = await readdir(fileURLToPath(storageUrl), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Checks I7: objects and runs that a person was told about still exist. */
export async function lostAcknowledged(db: Product["db"], acknowledged: Product["acknowledged"]): Promise<string[]> {
  const rows = await db.query<{ id: string }>("SELECT id FROM test_object UNION ALL SELECT id FROM run");
  const kept = new Set(rows.map(({ id }) => id));
  return acknowledged
    .filter(({ objectId, runId }) => !kept.has(runId ?? objectId))
    .map(
      ({ objectId, runId }) =>
        `I7 ${runId === null ? `object ${objectId}` : `run ${runId}`} was acknowledged and is lost`,
    );
}
