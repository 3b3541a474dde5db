import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Queryable } from "@web-tester/platform/database/database";
import { releaseRows, renewRows } from "@web-tester/records/leases/leased-rows";
import { cancelFetch } from "@web-tester/records/runs/cancel-run";
import { postponeSnapshots } from "@web-tester/records/snapshots/claim-snapshots";
import { finishSnapshots } from "@web-tester/records/snapshots/finish-snapshots";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { until } from "../support/until.js";

/** Statements that take many snapshots lock them in one order: otherwise stopping a fetch and finishing its pages wait for each other. */
let own: OwnDatabase;
beforeAll(async () => {
  own = await startDatabase(4);
}, 240_000);
afterAll(() => own?.stop());

interface Held {
  id: string;
  fence: number;
}

const pagesMax = 60;

/** A fetch of many pages that are all being loaded. */
async function startFetch(): Promise<{ runId: string; held: Held[] }> {
  const [made] = await own.db.query<{ run: string }>(
    `WITH object AS (INSERT INTO test_object (name, url) VALUES ('Site', 'http://' || uuidv7() || '.test/') RETURNING id)
     INSERT INTO run (test_object_id, kind, total) SELECT id, 'snapshot-all', $1 FROM object RETURNING id AS run`,
    [pagesMax],
  );
  const runId = made?.run ?? "";
  const held = await own.db.query<Held>(
    `WITH pages AS (
       INSERT INTO test_instance (test_object_id, url, name)
       SELECT r.test_object_id, 'http://site.test/' || r.id || n, 'Page' FROM run r, generate_series(1, $2::int) n WHERE r.id = $1 RETURNING id
     )
     INSERT INTO test_snapshot (test_instance_id, run_id, number, state, queued_at, fence, attempts, lease_until)
     SELECT id, $1, 1, 'running', now(), 1, 1, now() + interval '1 hour' FROM pages RETURNING id, fence`,
    [runId, pagesMax],
  );
  return { runId, held: held.toSorted((one, other) => (one.id < other.id ? -1 : 1)) };
}

const failed = (held: readonly Held[]) =>
  held.map((row) => ({
    ...row,
    ...{ state: "failed" as const, hash: null, stored_size: 0, charset: null, files_id: null, files_hash: null },
    ...{ headers: {}, http_status: 500, final_url: null, redirects: [], error_code: "http_status", error: "500" },
    ...{ warning: null, duration_ms: 1, fetch_mode_used: "http" as const, auto_mode: null, auto_tested: false },
    ...{ name: null, asked_as: "", taken_with: {} },
  }));

test.each<[string, (tx: Queryable, held: readonly Held[], runId: string) => Promise<unknown>]>([
  ["finishing them", (tx, held) => finishSnapshots(tx, failed(held))],
  ["renewing their leases", (tx, held) => renewRows(tx, "test_snapshot", held, 60_000)],
  ["releasing them", (tx, held) => releaseRows(tx, "test_snapshot", held, true)],
  ["postponing them", (tx, held) => postponeSnapshots(tx, held)],
  ["stopping their run", (tx, _held, runId) => cancelFetch(tx, runId)],
])("%s takes snapshots from the oldest to the newest", async (_what, act) => {
  const { runId, held } = await startFetch();
  const free = held.slice(0, pagesMax / 2);
  const taken = held.slice(pagesMax / 2);
  const obstacle = taken[0]?.id ?? "";
  const { promise: isBlocked, resolve: blocked } = Promise.withResolvers<void>();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const blocker = own.db.transaction(async (tx) => {
    await tx.query("SELECT 1 FROM test_snapshot WHERE id = $1 FOR UPDATE", [obstacle]);
    blocked();
    await isReleased;
  });
  await isBlocked;
  // as results come: in no order
  const mixed = [...taken, ...free].toSorted((one, other) => (one.id.slice(-4) < other.id.slice(-4) ? -1 : 1));
  const acting = own.db.transaction((tx) => act(tx, mixed, runId));
  const isFree = async (id: string) =>
    (await own.db.query("SELECT 1 FROM test_snapshot WHERE id = $1 FOR UPDATE SKIP LOCKED", [id])).length === 1;
  try {
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    await until("the statement to wait", async () => (await own.db.query(waiting)).length > 0);
    const locked = [];
    for (const { id } of held) locked.push(id !== obstacle && !(await isFree(id)));
    expect(locked).toEqual(held.map(({ id }) => id < obstacle));
  } finally {
    release();
    await Promise.all([blocker, acting]);
  }
});
