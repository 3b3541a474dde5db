import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { deleteBatch, fromStart } from "@web-tester/records/instances/delete-all";
import { recoverDeletions } from "@web-tester/gateway/deletion/recover-deletions";
import { deleteInstanceRows } from "@web-tester/records/instances/delete-instance";
import { cancelRun } from "@web-tester/gateway/runs/cancel-run";
import { startDeletion } from "@web-tester/gateway/runs/start-deletion";
import { startSnapshotAll } from "@web-tester/gateway/runs/start-snapshot-all";
import { byProduct } from "@web-tester/records/runs/start-run";
import { createOne, fetchOne, startSnapshotOne } from "@web-tester/gateway/runs/start-snapshot-one";
import { applyImport } from "@web-tester/gateway/transfer/apply-import";
import type { Bus } from "@web-tester/platform/bus/bus";
import { type Database, openDatabase, type Queryable } from "@web-tester/platform/database/database";
import { loadPendingChanges, recordChanges } from "@web-tester/records/changes/record-change";
import { claimSnapshots } from "@web-tester/records/snapshots/claim-snapshots";
import { finishSnapshots } from "@web-tester/records/snapshots/finish-snapshots";
import { createLogger } from "@web-tester/platform/log/logger";
import { applyRetention } from "@web-tester/records/snapshots/apply-retention";
import { endIdleRuns } from "@web-tester/worker/reconcile";
import { recoverPages, recoverSitemaps } from "@web-tester/records/pages/recover-pages";
import { recoverSnapshots } from "@web-tester/records/snapshots/recover-snapshots";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { rowFaults } from "../support/row-faults.js";
import { stageImport } from "../support/stage-import.js";

/**
 * Two acts on the rows of one object at once, in every order of their statements: the first is held after each of its
 * statements while the second goes on as far as it can. In every order, counters agree with the rows, and every run ends.
 */
let own: OwnDatabase;
let db: Database;
const log = createLogger("test", "silent");
const events: unknown[] = [];
const bus = {
  publish: async () => undefined,
  publishEvent: (event: unknown) => events.push(event),
  logLine: () => undefined,
} as unknown as Bus;
const going = new AbortController().signal;

beforeAll(async () => {
  own = await startDatabase();
  // thousands of small commits, none of which has to outlive the test
  await own.db.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END $$`,
  );
  db = openDatabase(own.url, 6, () => undefined);
});
afterAll(async () => {
  await db.close();
  await own.stop();
});

/** An object of four pages with a fetch under way: its first page has been fetched, its second is, two wait. */
interface Scene {
  objectId: string;
  /** The ids of the pages, in the order of their addresses. */
  instanceIds: string[];
  runId: string;
  /** A snapshot of the first page that was created and never queued. */
  createdId: string;
  /** A finished snapshot of the first page that waits to be compared. */
  doneId: string;
  /** A snapshot of the second page that a fetcher has claimed. */
  heldId: string;
  importId: string;
}

async function rowOf<Row extends object>(sql: string, values: readonly unknown[] = []): Promise<Row> {
  const [row] = await db.query<Row>(sql, values);
  if (row === undefined) throw new Error(`no row: ${sql}`);
  return row;
}

const hash = "ab".repeat(32);
let scenes = 0;

async function makeScene(): Promise<Scene> {
  await db.query("DELETE FROM test_object");
  const url = `http://scene-${++scenes}.test/`;
  await db.query(
    `INSERT INTO content (hash, size, stored_size, stored) VALUES (decode($1, 'hex'), 1, 1, true) ON CONFLICT DO NOTHING`,
    [hash],
  );
  const { id: objectId } = await rowOf<{ id: string }>(
    `INSERT INTO test_object (name, url, keep_snapshots) VALUES ('Scene', $1, 1) RETURNING id`,
    [url],
  );
  const instances = await db.query<{ id: string }>(
    `INSERT INTO test_instance (test_object_id, url, name) SELECT $1, $2 || n, 'Page' FROM generate_series(1, 4) n ORDER BY n RETURNING id`,
    [objectId, url],
  );
  const instanceIds = instances.map(({ id }) => id);
  // two finished snapshots of each page, so that retention has one to remove
  await db.query(
    `INSERT INTO test_snapshot (test_instance_id, number, state, content_hash, fetched_at, created_at)
     SELECT i, n, 'done', decode($2, 'hex'), now(), now() FROM unnest($1::uuid[]) i, generate_series(1, 2) n ORDER BY n`,
    [instanceIds, hash],
  );
  await db.query(
    `INSERT INTO change (snapshot_id, state, kind) SELECT id, 'done', 'unchanged' FROM test_snapshot WHERE test_instance_id = ANY($1)`,
    [instanceIds],
  );
  const { id: createdId } = await rowOf<{ id: string }>(
    "INSERT INTO test_snapshot (test_instance_id, number, lane) VALUES ($1, 3, 'now') RETURNING id",
    [instanceIds[0]],
  );
  // a run of a kind that lets other runs start beside it
  const { id: runId } = await rowOf<{ id: string }>(
    "INSERT INTO run (test_object_id, kind, total) VALUES ($1, 'snapshot-one', 4) RETURNING id",
    [objectId],
  );
  const fetched = await db.query<{ id: string }>(
    `INSERT INTO test_snapshot (test_instance_id, run_id, number, state, queued_at)
     SELECT i, $2, 4, 'queued', now() FROM unnest($1::uuid[]) WITH ORDINALITY AS p (i, at) ORDER BY at RETURNING id`,
    [instanceIds, runId],
  );
  const [doneId = "", heldId = ""] = fetched.map(({ id }) => id);
  await db.query(
    `UPDATE test_instance i SET last_number = 4, status = 'queued', last_snapshot_id = s.id, snapshots_total = (SELECT count(*) FROM test_snapshot c WHERE c.test_instance_id = i.id)
     FROM test_snapshot s WHERE s.run_id = $1 AND s.test_instance_id = i.id`,
    [runId],
  );
  await finish(db, [doneId]);
  await db.query(
    "UPDATE test_snapshot SET state = 'running', fence = 1, attempts = 1, lease_until = now() + interval '1 hour' WHERE id = $1",
    [heldId],
  );
  return { objectId, instanceIds, runId, createdId, doneId, heldId, importId: await stageImport(db, url, hash) };
}

/** Claims and finishes snapshots, as a fetcher does. */
async function finish(on: Queryable, ids: readonly string[]): Promise<void> {
  const claimed = await claimSnapshots(on, ids, 60_000);
  await finishHeld(
    on,
    claimed.map(({ id, fence }) => ({ id, fence })),
  );
}

async function finishHeld(on: Queryable, held: readonly { id: string; fence: number }[]): Promise<void> {
  await finishSnapshots(
    on,
    held.map((row) => ({
      ...row,
      state: "done",
      hash,
      stored_size: 1,
      ...{ charset: "utf-8", files_id: null, files_hash: null },
      headers: {},
      http_status: 200,
      final_url: null,
      redirects: [],
      error_code: null,
      error: null,
      warning: null,
      duration_ms: 1,
      fetch_mode_used: "http",
      auto_mode: null,
      auto_tested: false,
      name: null,
      asked_as: "",
      taken_with: {},
    })),
  );
}

/** Records that pages changed, as the differ does, with the pending changes that it has read before. */
async function compare(on: Queryable, ids: readonly string[]): Promise<void> {
  const pending = await loadPendingChanges(on, ids);
  await recordChanges(
    on,
    pending.map(({ id, objectId, generation, previousId }) => ({
      ...{ id, objectId, generation, previousId },
      kind: "changed",
      ...{ added: 1, removed: 0, coarse: false, filesChanged: 0, files: null, facts: null },
      ...{ significant: true, changes: 1, ignored: 0, hunks: [] },
    })),
  );
}

type Act = (on: Database, scene: Scene) => Promise<unknown>;

const acts: Record<string, Act> = {
  "fetch all": (on, { objectId }) => startSnapshotAll({ db: on, bus, log, hostConcurrency: 8 }, objectId, byProduct),
  "fetch one": (on, { objectId }) => startSnapshotOne(on, bus, log, objectId, byProduct),
  "make a snapshot": (on, { instanceIds }) => createOne(on, instanceIds[0] ?? ""),
  "fetch what was made": (on, { createdId }) => fetchOne(on, bus, log, createdId, byProduct),
  cancel: (on, { runId }) => cancelRun(on, bus, runId),
  "delete the page that was fetched": (on, { instanceIds }) =>
    on.transaction((tx) => deleteInstanceRows(tx, instanceIds[0] ?? "")),
  "delete the page in hand": (on, { instanceIds }) =>
    on.transaction((tx) => deleteInstanceRows(tx, instanceIds[1] ?? "")),
  "delete all pages": (on, { objectId }) => remove(on, objectId, "delete-instances"),
  "delete all snapshots": (on, { objectId }) => remove(on, objectId, "delete-snapshots"),
  "delete the object": (on, { objectId }) => remove(on, objectId, "delete-object"),
  import: (on, { importId }) => applyImport({ db: on, bus, signal: going }, importId),
  retention: (on) => applyRetention({ db: on, signal: going, onRemoved: () => undefined }),
  "finish a fetch": (on, { heldId }) => on.transaction((tx) => finishHeld(tx, [{ id: heldId, fence: 1 }])),
  "record a change": (on, { doneId }) => on.transaction((tx) => compare(tx, [doneId])),
  sweep: (on) => sweep(on),
};

async function remove(
  on: Database,
  objectId: string,
  kind: "delete-instances" | "delete-snapshots" | "delete-object",
): Promise<void> {
  const started = await startDeletion(on, bus, log, objectId, kind);
  if (started !== null) await deleteAllOf(on, started.runId);
}

async function deleteAllOf(on: Database, runId: string): Promise<void> {
  let outcome = await deleteBatch(on, runId, fromStart);
  while (!outcome.over) outcome = await deleteBatch(on, runId, outcome.cursor);
}

async function sweep(on: Database): Promise<void> {
  await endIdleRuns(recoverSnapshots, { db: on, bus });
  await endIdleRuns(recoverPages, { db: on, bus });
  await endIdleRuns(recoverSitemaps, { db: on, bus });
  await endIdleRuns(recoverDeletions, { db: on, bus });
}

/** Wraps the database so that its first transaction pauses after its statement `afterStatement` until `letGo` is called. */
function holdAfter(afterStatement: number): { db: Database; reached: Promise<void>; letGo: () => void } {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let statement = 0;
  const holding: Database = {
    ...db,
    transaction: (work) =>
      db.transaction((tx) =>
        work({
          query: async (sql, values) => {
            const rows = await tx.query(sql, values);
            if (++statement === afterStatement) {
              reached.resolve();
              await gate.promise;
            }
            return rows as never;
          },
        }),
      ),
  };
  return { db: holding, reached: reached.promise, letGo: () => gate.resolve() };
}

async function isWaiting(): Promise<boolean> {
  const rows = await db.query(
    "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()",
  );
  return rows.length > 0;
}

/** Runs both acts. @returns whether the first was held at all; a refusal (not found, conflict) is an outcome like any other */
async function both(first: Act, second: Act, scene: Scene, afterStatement: number): Promise<boolean> {
  const refused = (error: unknown) => {
    if (!(error instanceof Error && "code" in error && (error.code === "not_found" || error.code === "conflict")))
      throw error;
  };
  const holding = holdAfter(afterStatement);
  let firstEnded = false;
  const one = first(holding.db, scene)
    .catch(refused)
    .finally(() => (firstEnded = true));
  await Promise.race([holding.reached, one]);
  if (firstEnded) return false;
  let secondEnded = false;
  const other = second(db, scene)
    .catch(refused)
    .finally(() => (secondEnded = true));
  // an error is thrown below; here it only ends the waiting
  const quiet = other.catch(() => undefined);
  while (!secondEnded && !(await isWaiting()))
    await Promise.race([quiet, new Promise((resolve) => setTimeout(resolve, 5))]);
  holding.letGo();
  await Promise.all([one, other]);
  return true;
}

/** Fetches and compares what is left, as the services would. */
async function drain(): Promise<void> {
  const running = await db.query<{ id: string; fence: number }>(
    "SELECT id, fence FROM test_snapshot WHERE state = 'running'",
  );
  await finishHeld(db, running);
  const queued = await db.query<{ id: string }>("SELECT id FROM test_snapshot WHERE state = 'queued'");
  await finish(
    db,
    queued.map(({ id }) => id),
  );
  const changes = await db.query<{ snapshot_id: string }>(
    "SELECT snapshot_id FROM change WHERE state = 'queued' ORDER BY snapshot_id",
  );
  await compare(
    db,
    changes.map((row) => row.snapshot_id),
  );
}

// an act that is a single statement, or takes the same locks as another one here, is not worth holding
const holdable = Object.keys(acts).filter(
  (name) => !["sweep", "fetch one", "make a snapshot", "delete all snapshots", "delete the object"].includes(name),
);

describe.each(holdable)("while “%s” is held", (first) => {
  test.each(Object.keys(acts))("“%s” leaves counters right, and every run ends", async (second) => {
    const told: string[] = [];
    for (let statement = 1; ; statement++) {
      const scene = await makeScene();
      const [one, other] = [acts[first], acts[second]];
      if (one === undefined || other === undefined) throw new Error("no such act");
      const wasHeld = await both(one, other, scene, statement);
      if (!wasHeld) break;
      const at = `held after statement ${statement}`;
      told.push(...(await rowFaults(db)).map((fault) => `${at}: ${fault}`));
      await drain();
      told.push(...(await rowFaults(db)).map((fault) => `${at}, then all done: ${fault}`));
      const open = await db.query("SELECT kind, total, completed FROM run WHERE state = 'running'");
      if (open.length > 0) told.push(`${at}: runs go on: ${JSON.stringify(open)}`);
    }
    expect(told).toEqual([]);
  });
});

test("a run that lost all that could end it is ended with the counters of its rows, and no other is", async () => {
  const { objectId, runId, heldId } = await makeScene();
  await finishHeld(db, [{ id: heldId, fence: 1 }]);
  // as deletions once left a run: its rows are gone, and the counters do not know it
  await db.query("DELETE FROM test_snapshot WHERE run_id = $1 AND state = 'queued'", [runId]);
  const { id: crawlId } = await rowOf<{ id: string }>(
    "INSERT INTO run (test_object_id, kind, total) VALUES ($1, 'crawl', 5) RETURNING id",
    [objectId],
  );
  await db.query(
    "INSERT INTO crawl_page (run_id, url, depth, state) SELECT $1, 'http://x.test/' || n, 0, CASE n WHEN 1 THEN 'failed' ELSE 'done' END FROM generate_series(1, 3) n",
    [crawlId],
  );
  const { id: sitemapsId } = await rowOf<{ id: string }>(
    "INSERT INTO run (test_object_id, kind, total) VALUES ($1, 'sitemaps', 2) RETURNING id",
    [objectId],
  );
  await db.query(
    "INSERT INTO crawl_page (run_id, url, depth, kind) VALUES ($1, 'http://x.test/sitemap.xml', 0, 'sitemap')",
    [sitemapsId],
  );
  const { id: deletionId } = await rowOf<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ('Empty', 'http://empty.test/') RETURNING id",
  ).then((empty) =>
    rowOf<{ id: string }>(
      "INSERT INTO run (test_object_id, kind, total) VALUES ($1, 'delete-instances', 3) RETURNING id",
      [empty.id],
    ),
  );
  // a fetch of all pages that is just being queued: its run and its rows are not committed yet
  const queueing = holdAfter(6);
  const queued = startSnapshotAll({ db: queueing.db, bus, log, hostConcurrency: 8 }, objectId, byProduct);
  await queueing.reached;
  events.length = 0;
  await sweep(db);
  const told = [...events];
  queueing.letGo();
  const { runId: allId } = await queued;
  await sweep(db);
  const state = (id: string | null) => rowOf("SELECT state, total, completed, failed FROM run WHERE id = $1", [id]);
  expect(await state(runId)).toEqual({ state: "finished", total: 2, completed: 2, failed: 0 });
  expect(await state(crawlId)).toEqual({ state: "finished", total: 3, completed: 3, failed: 1 });
  expect(await state(deletionId)).toEqual({ state: "finished", total: 0, completed: 0, failed: 0 });
  expect(await state(sitemapsId)).toMatchObject({ state: "running", total: 2, completed: 0 });
  expect(await state(allId)).toMatchObject({ state: "running", total: 4, completed: 0 });
  expect(told).toMatchObject([
    { type: "fetch:progress", runId, running: false },
    { type: "crawl:progress", runId: crawlId, running: false },
    { type: "deleteAll:completed", runId: deletionId, running: false },
  ]);
});

test("a comparison that becomes stale twice before it is made anew is taken from the changed ones once", async () => {
  const { instanceIds, runId } = await makeScene();
  await drain();
  const before = await rowOf<{ changed: number }>("SELECT changed FROM run WHERE id = $1", [runId]);
  // the run's snapshot is the only one left of its page; two that were asked for before it are finished after it
  const pageId = instanceIds[3];
  await db.query("DELETE FROM test_snapshot WHERE test_instance_id = $1 AND run_id IS DISTINCT FROM $2", [
    pageId,
    runId,
  ]);
  for (const number of [91, 92]) {
    const { id } = await rowOf<{ id: string }>(
      `INSERT INTO test_snapshot (id, test_instance_id, number, state, content_hash)
       VALUES (('00000000-0000-7000-8000-0000000000' || $2::int)::uuid, $1, $2, 'done', decode($3, 'hex')) RETURNING id`,
      [pageId, number, hash],
    );
    await db.query("INSERT INTO change (snapshot_id) VALUES ($1)", [id]);
    await compare(db, [id]);
  }
  const after = await rowOf<{ changed: number }>("SELECT changed FROM run WHERE id = $1", [runId]);
  expect([before.changed, after.changed]).toEqual([4, 3]);
});
