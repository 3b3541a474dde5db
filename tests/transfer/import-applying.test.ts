import { afterAll, afterEach, beforeAll, expect, jest, test } from "@jest/globals";
import { updateObject } from "@web-tester/records/objects/update-object";
import { cancelFetch } from "@web-tester/records/runs/cancel-run";
import { queueAll } from "@web-tester/records/snapshots/queue-all";
import { insertRun } from "@web-tester/records/runs/start-run";
import type { Database } from "@web-tester/platform/database/database";
import { removeOutdatedSnapshots } from "@web-tester/records/snapshots/retention";
import { applyRetention } from "@web-tester/records/snapshots/apply-retention";
import { type ImportDesk, openImportDesk, signal } from "../support/import-desk.js";

/** What pages show after an import during which fetches, deletions and retention rules are at work. */
let desk: ImportDesk;

beforeAll(async () => {
  desk = await openImportDesk();
});
afterAll(() => desk.stop());
afterEach(() => desk.clear());

const site = "https://site.example/";
/** Returns an import file with these snapshots of one page. */
const page = (snapshots: Record<string, unknown>[]) =>
  JSON.stringify({
    testObjects: [{ id: "o", name: "Site", url: site }],
    testInstances: [{ id: "i", url: site, testobject_id: "o" }],
    testSnapshots: snapshots.map((snapshot, index) => ({ id: index, testinstance_id: "i", ...snapshot })),
  });
const day = (number: number, rest: Record<string, unknown> = { html: `<p>${number}` }) => ({
  created_at: `2026-02-0${number}T00:00:00Z`,
  ...rest,
});

async function shown() {
  const rows = await desk.db.query<Record<string, unknown>>(
    `SELECT i.status, i.http_status, i.error, i.lines_added, i.lines_removed, i.snapshots_total, s.number AS shows,
       (SELECT string_agg(number::text, ' ' ORDER BY id) FROM test_snapshot WHERE test_instance_id = i.id) AS numbers, i.last_number
     FROM test_instance i LEFT JOIN test_snapshot s ON s.id = i.last_snapshot_id`,
  );
  return rows[0];
}

/** Imports two snapshots of a page as compared: the page shows the second one, which changed. */
async function comparedPage(): Promise<void> {
  await desk.importNow(page([day(2), day(4, { html: "<p>x", http_status: 203 })]));
  await desk.db.query("UPDATE change SET state = 'done', kind = 'changed', lines_added = 3, lines_removed = 2");
  await desk.db.query("UPDATE test_instance SET status = 'changed', lines_added = 3, lines_removed = 2");
}
/** Adds a snapshot of the present moment. */
async function addSnapshot(state: string, shows: boolean): Promise<void> {
  await desk.db.query(
    `WITH i AS (UPDATE test_instance SET last_number = last_number + 1, snapshots_total = snapshots_total + 1 RETURNING id, last_number),
          s AS (INSERT INTO test_snapshot (test_instance_id, number, state, queued_at) SELECT id, last_number, $1, now() FROM i RETURNING id)
     SELECT id FROM s`,
    [state],
  );
  if (shows)
    await desk.db.query(
      "UPDATE test_instance SET status = 'queued', last_snapshot_id = (SELECT max(id::text)::uuid FROM test_snapshot)",
    );
}
const changed = { status: "changed", http_status: 203, error: null, lines_added: 3, lines_removed: 2 };

test.each([
  ["was stopped", "cancelled", false, { ...changed, shows: 3 }],
  ["was made and never fetched", "created", false, { ...changed, shows: 3 }],
  ["is under way", "queued", true, { status: "queued", shows: 4 }],
] as const)(
  "a page whose newest snapshot %s looks the same after older ones came in",
  async (_what, state, shows, is) => {
    await comparedPage();
    await addSnapshot(state, shows);
    await desk.importNow(page([day(1), day(2)]));
    expect(await shown()).toMatchObject({ ...is, snapshots_total: 4, numbers: "1 2 3 4", last_number: 4 });
  },
);

test("a page that had lost its place, for its newest snapshot was stopped, gets it back", async () => {
  await comparedPage();
  await addSnapshot("cancelled", false);
  await desk.db.query(
    "UPDATE test_instance SET status = 'none', last_snapshot_id = NULL, http_status = NULL, lines_added = 0",
  );
  await desk.importNow(page([day(1)]));
  expect(await shown()).toMatchObject({ ...changed, shows: 3 });
});

test.each([
  ["stopped ones", day(6, { state: "cancelled" }), { ...changed, shows: 2 }],
  ["ones without a fetch", day(6, { state: "created" }), { ...changed, shows: 2 }],
  [
    "failed ones",
    day(6, { state: "failed", error: "Gone", http_status: 410 }),
    { status: "failed", http_status: 410, shows: 3, error: "Gone", lines_added: 0 },
  ],
  [
    "fetched ones",
    day(6, { html: "y", http_status: 200 }),
    { status: "fetched", http_status: 200, shows: 3, lines_added: 0 },
  ],
])("newer snapshots come in, %s: the page shows the newest that counts", async (_what, newer, is) => {
  await comparedPage();
  await desk.importNow(page([newer]));
  expect(await shown()).toMatchObject({ ...is, snapshots_total: 3 });
});

test("a page that has nothing but stopped snapshots shows none", async () => {
  await desk.importNow(page([day(1, { state: "cancelled" }), day(2, { state: "cancelled" })]));
  expect(await shown()).toMatchObject({ status: "none", shows: null, snapshots_total: 2 });
});

/** Applies retention, with every comparison made. @returns the days of the month of the snapshots that are left */
async function afterRetention(): Promise<string> {
  await desk.db.query("UPDATE change SET state = 'done', kind = 'changed'");
  await desk.db.query("UPDATE test_object SET retention_checked_at = NULL");
  await applyRetention({ db: desk.db, signal, onRemoved: () => undefined });
  const [row] = await desk.db.query<{ days: string }>(
    "SELECT string_agg(to_char(created_at, 'DD'), ' ' ORDER BY id) AS days FROM test_snapshot",
  );
  return row?.days ?? "";
}
const notesOf = async (id: string) =>
  (await desk.db.query<{ notes: string[] }>("SELECT notes FROM import_job WHERE id = $1", [id]))[0]?.notes;

test("rules do not remove at once what an import brought: they wait, say so, and a change of them ends that", async () => {
  const file = JSON.parse(page([day(1), day(2), day(3), day(4)]));
  file.testObjects[0].keep_snapshots = 2;
  const id = await desk.importNow(JSON.stringify(file));
  expect(await notesOf(id)).toEqual([
    expect.stringMatching(/^“Site”: its retention rules would remove about 2 of .+ They take effect on 2\d{3}-/),
  ]);
  expect(await afterRetention()).toBe("01 02 03 04");
  // the form sends all options, even if only another one was changed
  const [object] = await desk.db.query<{ id: string }>("SELECT id FROM test_object");
  await updateObject(desk.db, object?.id ?? "", { keep_snapshots: 2, keep_days: null, request_delay_ms: 9 });
  expect(await afterRetention()).toBe("01 02 03 04");
  await updateObject(desk.db, object?.id ?? "", { keep_snapshots: 3, keep_days: null });
  expect(await afterRetention()).toBe("02 03 04");

  // an import into an object with rules: they wait, and apply again when the time is over
  expect(await notesOf(await desk.importNow(page([day(1)])))).toHaveLength(1);
  expect(await afterRetention()).toBe("01 02 03 04");
  await desk.db.query("UPDATE test_object SET retention_waits_until = now() - interval '1 s'");
  expect(await afterRetention()).toBe("02 03 04");
  // a snapshot that the rules would keep makes none of them wait
  expect(await notesOf(await desk.importNow(page([day(5)])))).toEqual([]);
  expect(await afterRetention()).toBe("03 04 05");
});

test("a round of retention that is under way leaves alone what comes meanwhile", async () => {
  await desk.importNow(page([day(3), day(4)]));
  await desk.db.query("UPDATE test_object SET keep_snapshots = 1; UPDATE change SET state = 'done', kind = 'changed'");
  const [object] = await desk.db.query<{ id: string }>("SELECT id FROM test_object");
  await desk.importNow(page([day(1), day(2)]));
  await desk.db.query("UPDATE change SET state = 'done', kind = 'changed'");
  const batch = await desk.db.transaction((tx) =>
    removeOutdatedSnapshots(tx, object?.id ?? "", { after: "" }, { pages: 10, rows: 10 }),
  );
  expect(batch.removed).toEqual({ byAge: 0, byCount: 0, unchanged: 0 });
});

const instanceOf = async () => (await desk.db.query<{ id: string }>("SELECT id FROM test_instance"))[0]?.id ?? "";

test("a page that somebody deletes while its history is imported comes back with it, and every record is counted", async () => {
  await desk.importNow(page([day(1)]));
  const gone = await instanceOf();
  const id = await desk.stage(page([day(1), day(2)]));
  await desk.startApplying(id);
  let deleted = false;
  const db: Database = {
    ...desk.db,
    transaction: (work) =>
      desk.db.transaction((tx) =>
        work({
          query: async (sql, values) => {
            // the last moment before the page is locked
            if (
              !deleted &&
              typeof sql === "string" &&
              /SELECT t\.id FROM test_instance[^]+FOR NO KEY UPDATE/.test(sql)
            ) {
              deleted = true;
              // as an older version deletes it, which locks the page alone; the present one would wait for the lock of the object
              await desk.db.query("DELETE FROM test_instance WHERE id = $1", [gone]);
            }
            return tx.query(sql, values);
          },
        }),
      ),
  };
  expect(await desk.apply(id, db)).toBe(true);
  expect(deleted).toBe(true);
  expect(await desk.job(id)).toMatchObject({ state: "finished", completed: 4, total: 4, imported: { snapshots: 2 } });
  expect(await shown()).toMatchObject({ snapshots_total: 2, numbers: "1 2" });
});

test("Fetch All, stopping it and imports at the same time: each snapshot is counted and has its place", async () => {
  await desk.importNow(page([day(4)]));
  const [object] = await desk.db.query<{ id: string }>("SELECT id FROM test_object");
  const objectId = object?.id ?? "";
  for (let round = 0; round < 8; round++) {
    const ids = await Promise.all([
      desk.stage(page([day(1 + (round % 3)), day(5 + (round % 4))])),
      desk.stage(page([day(round + 1)])),
    ]);
    await Promise.all(ids.map((id) => desk.startApplying(id)));
    const fetchAll = async () => {
      const runId = await desk.db.transaction(async (tx) => {
        const made = await insertRun(tx, objectId, "snapshot-all", 0);
        await queueAll(tx, objectId, made, "site.example");
        return made;
      });
      if (round % 2 === 0) await desk.db.transaction((tx) => cancelFetch(tx, runId));
      else await desk.db.query("UPDATE run SET state = 'finished' WHERE id = $1", [runId]);
    };
    await Promise.all([...ids.map((id) => desk.apply(id)), fetchAll()]);
  }
  const { shows, status, numbers, snapshots_total: total, last_number: last } = (await shown()) ?? {};
  const places = String(numbers).split(" ").map(Number);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect([new Set(places).size, places.length]).toEqual([total, total]);
  expect(last).toBeGreaterThanOrEqual(Math.max(...places));
  const [newest] = await desk.db.query<{ number: number }>(
    "SELECT number FROM test_snapshot WHERE state NOT IN ('created', 'cancelled') ORDER BY id DESC LIMIT 1",
  );
  expect([shows, status]).toEqual([newest?.number, "queued"]);
});

test("a snapshot of a clock that is ahead stays older than what is fetched next", async () => {
  const ahead = new Date(Date.now() + 3_600_000).toISOString();
  await desk.importNow(page([day(1), { created_at: ahead, html: "<p>ahead" }]));
  await addSnapshot("queued", true);
  expect(await shown()).toMatchObject({ numbers: "1 2 3", shows: 3 });
  await desk.importNow(page([{ created_at: ahead, html: "<p>ahead" }]));
  expect(await shown()).toMatchObject({ numbers: "1 2 3", shows: 3, snapshots_total: 3 });
});

test("a gateway whose clock is ahead imports nothing that stays newer than what is fetched next", async () => {
  const now = Date.now();
  const clock = jest.spyOn(Date, "now").mockReturnValue(now + 24 * 3_600_000);
  try {
    const ahead = new Date(now + 12 * 3_600_000).toISOString();
    await desk.importNow(page([{ html: "<p>of no time" }, { created_at: ahead, html: "<p>ahead" }]));
  } finally {
    clock.mockRestore();
  }
  await addSnapshot("queued", true);
  expect(await shown()).toMatchObject({ numbers: "1 2 3", shows: 3 });
});
