import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { updateObject } from "@web-tester/gateway/objects/update-object.sql";
import { applyImport } from "@web-tester/gateway/transfer/apply-import";
import { endJob, insertJob, startApplying } from "@web-tester/gateway/transfer/import-job.sql";
import { stageRecords } from "@web-tester/gateway/transfer/stage-records";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";
import { openObjectStore } from "@web-tester/platform/storage/open-object-store";
import { createSecretBox } from "@web-tester/platform/secrets/secret-box";
import { removeOutdatedSnapshots } from "@web-tester/platform/db/moves/retention";
import { applyRetention } from "@web-tester/platform/work/apply-retention";
import { collectStrays, collectUnused } from "@web-tester/platform/work/collect-content";
import { type OwnDatabase, startDatabase } from "./support/database.js";
import { rightArchive, rightFile } from "./support/hostile-imports.js";
import { until } from "./support/until.js";

/** What waits to be imported is kept until the import is over, tries are counted, and pages show what they should; no services, one database. */
let own: OwnDatabase;
let store: ObjectStore;
const signal = new AbortController().signal;
const secrets = createSecretBox(Buffer.alloc(32, 7));
const bus = { logLine: () => undefined, publish: () => Promise.resolve() };

beforeAll(async () => {
  own = await startDatabase(8);
  store = openObjectStore(own.storageUrl);
});
afterAll(async () => {
  store.close();
  await own.stop();
});
afterEach(async () => {
  await own.db.query("TRUNCATE test_object, import_job, content CASCADE");
  await collect();
});

/** The collector as it will be an hour from now. */
async function collect(): Promise<void> {
  const collection = { db: own.db, store, graceMs: 0, signal };
  await collectUnused(collection);
  await collectStrays(collection);
}

/** Lays a file aside. @param pause between its pieces and around every write of bytes */
async function stage(file: Buffer | string, pause: () => Promise<void> = () => Promise.resolve()): Promise<string> {
  const bytes = Buffer.from(file);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += 256) {
      yield bytes.subarray(at, at + 256);
      await pause();
    }
  }
  const slow: ObjectStore = {
    ...store,
    write: async (hash, content) => {
      await pause();
      const written = await store.write(hash, content);
      await pause();
      return written;
    },
  };
  const id = await insertJob(own.db, null, null);
  const isArchive = bytes.toString("latin1", 257, 262) === "ustar";
  const deps = { db: own.db, store: slow, secrets };
  expect(await stageRecords(deps, id, { isArchive, chunks: chunks() }, () => 0)).toEqual({ first: [], total: 0 });
  return id;
}

const apply = (id: string) => applyImport({ db: own.db, bus: bus as never, signal }, id, () => undefined);

async function importNow(file: Buffer | string): Promise<string> {
  const id = await stage(file);
  await startApplying(own.db, id, 0);
  expect(await apply(id)).toBe(true);
  return id;
}

async function job(id: string) {
  const [row] = await own.db.query<{ state: string; error: string | null; imported: { snapshots: number } }>(
    "SELECT state, error, imported, completed, total FROM import_job WHERE id = $1",
    [id],
  );
  return row;
}
const rowsOf = async (table: string) => (await own.db.query(`SELECT 1 FROM ${table}`)).length;

/** Every content that a row refers to is there and whole. @returns how many */
async function readAll(): Promise<number> {
  const rows = await own.db.query<{ hash: Buffer; stored: boolean }>(
    "SELECT hash, stored FROM content WHERE hash IN (SELECT content_hash FROM test_snapshot UNION SELECT content_hash FROM snapshot_asset)",
  );
  expect(rows.filter((row) => !row.stored)).toEqual([]);
  for (const { hash } of rows) await store.read(hash);
  return rows.length;
}

test.each([
  ["a plain file", rightFile, 1, 0],
  ["an archive", rightArchive, 2, 2],
])("%s is whole, although the collector comes at every moment", async (_what, file, contents, assets) => {
  const id = await stage(file, collect);
  await collect();
  await startApplying(own.db, id, 0);
  await collect();
  expect(await apply(id)).toBe(true);
  await collect();
  expect(await job(id)).toMatchObject({ state: "finished", error: null, imported: { snapshots: 1 } });
  expect(await own.db.query("SELECT error FROM snapshot_asset")).toEqual(
    Array.from({ length: assets }, () => ({ error: null })),
  );
  expect(await readAll()).toBe(contents);
  // and nothing is held for ever: what goes with its object is collected
  expect(await rowsOf("import_content")).toBe(0);
  await own.db.query("DELETE FROM test_object");
  await collect();
  expect(await rowsOf("content")).toBe(0);
});

test("bytes that are here already, and of which nothing else is left but the import, are kept too", async () => {
  await importNow(rightArchive);
  await own.db.query("UPDATE content SET touched_at = now()");
  const id = await stage(rightArchive);
  await own.db.query("DELETE FROM test_object");
  await collect();
  await startApplying(own.db, id, 0);
  expect(await apply(id)).toBe(true);
  expect(await readAll()).toBe(2);
});

test("an import that is stopped holds nothing any more", async () => {
  const id = await stage(rightArchive);
  await collect();
  expect(await rowsOf("content")).toBe(2);
  expect(await endJob(own.db, id, "cancelled", null)).toBe(true);
  await collect();
  expect([await rowsOf("content"), await rowsOf("import_row"), await rowsOf("import_content")]).toEqual([0, 0, 0]);
});

test("bytes that the store has lost are mended by the import that brings them", async () => {
  await importNow(rightArchive);
  for await (const { hash } of store.list()) await store.delete(hash);
  await importNow(rightArchive);
  expect(await readAll()).toBe(2);
});

test("a file that is lost meanwhile ends the import in words, and nothing is written", async () => {
  const lost = /lost from the object store after the upload/;
  const early = await stage(rightArchive);
  await own.db.query("UPDATE content SET stored = false");
  await expect(startApplying(own.db, early, 0)).rejects.toThrow(lost);
  await endJob(own.db, early, "failed", "lost");

  const late = await stage(rightArchive);
  await startApplying(own.db, late, 0);
  // as an import of a version that held nothing: rows can go as well
  await own.db.query("DELETE FROM import_content");
  await own.db.query("DELETE FROM content WHERE hash NOT IN (SELECT content_hash FROM import_row WHERE list = 2)");
  await expect(apply(late)).rejects.toThrow(lost);
  expect(await job(late)).toMatchObject({ state: "failed", error: expect.stringMatching(lost) });
  expect([await rowsOf("test_object"), await rowsOf("test_snapshot"), await rowsOf("import_row")]).toEqual([0, 0, 0]);
  expect(await apply(late)).toBe(true);
});

/** A process of its own that writes an import. */
function applyElsewhere(id: string): ChildProcess {
  const program = `
    import { applyImport } from "@web-tester/gateway/transfer/apply-import";
    import { openDatabase } from "@web-tester/platform/db/database";
    const db = openDatabase(${JSON.stringify(own.url)}, 2, () => undefined);
    const bus = { logLine: () => undefined, publish: () => Promise.resolve() };
    await applyImport({ db, bus, signal: new AbortController().signal }, ${JSON.stringify(id)}, () => undefined);`;
  return spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: "ignore",
  });
}

test("what ends the process that writes it, again and again, is given up in words", async () => {
  const id = await stage(rightArchive);
  await startApplying(own.db, id, 0);
  await own.db.query(`
    CREATE FUNCTION wait_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$`);
  await own.db.query("CREATE TRIGGER slow BEFORE INSERT ON test_instance FOR EACH ROW EXECUTE FUNCTION wait_long()");
  const asleep = "FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
  for (let crash = 1; crash <= 5; crash++) {
    const child = applyElsewhere(id);
    await until("the writer is in the middle", async () => (await own.db.query(`SELECT 1 ${asleep}`)).length > 0);
    child.kill("SIGKILL");
    await once(child, "exit");
    await own.db.query(`SELECT pg_terminate_backend(pid) ${asleep}`);
    await until("its session is gone", async () => (await own.db.query(`SELECT 1 ${asleep}`)).length === 0);
  }
  await own.db.query("DROP TRIGGER slow ON test_instance");
  expect(await apply(id)).toBe(true);
  expect(await job(id)).toMatchObject({
    state: "failed",
    error: expect.stringMatching(/^“Site” could not be written: the gateway ended each time .+ It was tried 5 times\./),
  });
  expect([await rowsOf("test_object"), await rowsOf("import_content")]).toEqual([0, 0]);

  // control: killed once, and then let be
  const other = await stage(rightArchive);
  await startApplying(own.db, other, 0);
  expect(await apply(other)).toBe(true);
  expect(await job(other)).toMatchObject({ state: "finished" });
});

const site = "https://site.example/";
/** A file of one page. */
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
  const rows = await own.db.query<Record<string, unknown>>(
    `SELECT i.status, i.http_status, i.error, i.lines_added, i.lines_removed, i.snapshots_total, s.number AS shows,
       (SELECT string_agg(number::text, ' ' ORDER BY id) FROM test_snapshot WHERE test_instance_id = i.id) AS numbers, i.last_number
     FROM test_instance i LEFT JOIN test_snapshot s ON s.id = i.last_snapshot_id`,
  );
  return rows[0];
}

/** Two snapshots of a page, compared: it shows the second, which changed. */
async function comparedPage(): Promise<void> {
  await importNow(page([day(2), day(4, { html: "<p>x", http_status: 203 })]));
  await own.db.query("UPDATE change SET state = 'done', kind = 'changed', lines_added = 3, lines_removed = 2");
  await own.db.query("UPDATE test_instance SET status = 2, lines_added = 3, lines_removed = 2");
}
/** A snapshot of this moment. */
async function addSnapshot(state: string, shows: boolean): Promise<void> {
  await own.db.query(
    `WITH i AS (UPDATE test_instance SET last_number = last_number + 1, snapshots_total = snapshots_total + 1 RETURNING id, last_number),
          s AS (INSERT INTO test_snapshot (test_instance_id, number, state, queued_at) SELECT id, last_number, $1, now() FROM i RETURNING id)
     SELECT id FROM s`,
    [state],
  );
  if (shows)
    await own.db.query(
      "UPDATE test_instance SET status = 6, last_snapshot_id = (SELECT max(id::text)::uuid FROM test_snapshot)",
    );
}
const changed = { status: 2, http_status: 203, error: null, lines_added: 3, lines_removed: 2 };

test.each([
  ["was stopped", "cancelled", false, { ...changed, shows: 3 }],
  ["was made and never fetched", "created", false, { ...changed, shows: 3 }],
  ["is under way", "queued", true, { status: 6, shows: 4 }],
] as const)(
  "a page whose newest snapshot %s looks the same after older ones came in",
  async (_what, state, shows, is) => {
    await comparedPage();
    await addSnapshot(state, shows);
    await importNow(page([day(1), day(2)]));
    expect(await shown()).toMatchObject({ ...is, snapshots_total: 4, numbers: "1 2 3 4", last_number: 4 });
  },
);

test("a page that had lost its place, for its newest snapshot was stopped, gets it back", async () => {
  await comparedPage();
  await addSnapshot("cancelled", false);
  await own.db.query(
    "UPDATE test_instance SET status = 7, last_snapshot_id = NULL, http_status = NULL, lines_added = 0",
  );
  await importNow(page([day(1)]));
  expect(await shown()).toMatchObject({ ...changed, shows: 3 });
});

test.each([
  ["stopped ones", day(6, { state: "cancelled" }), { ...changed, shows: 2 }],
  ["ones without a fetch", day(6, { state: "created" }), { ...changed, shows: 2 }],
  [
    "failed ones",
    day(6, { state: "failed", error: "Gone", http_status: 410 }),
    { status: 0, http_status: 410, shows: 3, error: "Gone", lines_added: 0 },
  ],
  ["fetched ones", day(6, { html: "y", http_status: 200 }), { status: 5, http_status: 200, shows: 3, lines_added: 0 }],
])("newer snapshots come in, %s: the page shows the newest that counts", async (_what, newer, is) => {
  await comparedPage();
  await importNow(page([newer]));
  expect(await shown()).toMatchObject({ ...is, snapshots_total: 3 });
});

test("a page that has nothing but stopped snapshots shows none", async () => {
  await importNow(page([day(1, { state: "cancelled" }), day(2, { state: "cancelled" })]));
  expect(await shown()).toMatchObject({ status: 7, shows: null, snapshots_total: 2 });
});

/** Retention, with every comparison made. @returns numbers of the snapshots that are left */
async function afterRetention(): Promise<string> {
  await own.db.query("UPDATE change SET state = 'done', kind = 'changed'");
  await own.db.query("UPDATE test_object SET retention_checked_at = NULL");
  await applyRetention({ db: own.db, signal, onRemoved: () => undefined });
  const [row] = await own.db.query<{ days: string }>(
    "SELECT string_agg(to_char(created_at, 'DD'), ' ' ORDER BY id) AS days FROM test_snapshot",
  );
  return row?.days ?? "";
}
const notesOf = async (id: string) =>
  (await own.db.query<{ notes: string[] }>("SELECT notes FROM import_job WHERE id = $1", [id]))[0]?.notes;

test("rules do not remove at once what an import brought: they wait, say so, and a change of them ends that", async () => {
  const file = JSON.parse(page([day(1), day(2), day(3), day(4)]));
  file.testObjects[0].keep_snapshots = 2;
  const id = await importNow(JSON.stringify(file));
  expect(await notesOf(id)).toEqual([
    expect.stringMatching(
      /^“Site”: its rules for keeping snapshots would remove about 2 of .+ They wait until 2\d{3}-/,
    ),
  ]);
  expect(await afterRetention()).toBe("01 02 03 04");
  // the form sends all options, also where only another one was changed
  const [object] = await own.db.query<{ id: string }>("SELECT id FROM test_object");
  await updateObject(own.db, object?.id ?? "", { keep_snapshots: 2, keep_days: null, request_delay_ms: 9 });
  expect(await afterRetention()).toBe("01 02 03 04");
  await updateObject(own.db, object?.id ?? "", { keep_snapshots: 3, keep_days: null });
  expect(await afterRetention()).toBe("02 03 04");

  // an import into an object with rules; when the time is over they hold again
  expect(await notesOf(await importNow(page([day(1)])))).toHaveLength(1);
  expect(await afterRetention()).toBe("01 02 03 04");
  await own.db.query("UPDATE test_object SET retention_waits_until = now() - interval '1 s'");
  expect(await afterRetention()).toBe("02 03 04");
  // what rules would keep makes nothing wait
  expect(await notesOf(await importNow(page([day(5)])))).toEqual([]);
  expect(await afterRetention()).toBe("03 04 05");
});

test("a round of retention that is under way leaves alone what comes meanwhile", async () => {
  await importNow(page([day(3), day(4)]));
  await own.db.query("UPDATE test_object SET keep_snapshots = 1; UPDATE change SET state = 'done', kind = 'changed'");
  const [object] = await own.db.query<{ id: string }>("SELECT id FROM test_object");
  await importNow(page([day(1), day(2)]));
  await own.db.query("UPDATE change SET state = 'done', kind = 'changed'");
  const batch = await own.db.transaction((tx) =>
    removeOutdatedSnapshots(tx, object?.id ?? "", { after: "" }, { pages: 10, rows: 10 }),
  );
  expect(batch.removed).toEqual({ byAge: 0, byCount: 0, unchanged: 0 });
});
