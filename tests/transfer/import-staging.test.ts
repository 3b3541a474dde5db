import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { endJob, insertJob } from "@web-tester/records/imports/import-job";
import { receiveImport } from "@web-tester/gateway/transfer/receive-import";
import { recoverImports } from "@web-tester/records/imports/recover-imports";
import { stageRecords } from "@web-tester/gateway/transfer/stage-records";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { rightArchive, rightFile, tar } from "../support/hostile-imports.js";
import { deafBus, type ImportDesk, openImportDesk, signal } from "../support/import-desk.js";
import { until } from "../support/until.js";

/** Staged contents are kept until their import is over, and attempts to write it are counted, whatever ends them. */
let desk: ImportDesk;

beforeAll(async () => {
  desk = await openImportDesk();
});
afterAll(() => desk.stop());
afterEach(() => desk.clear());

/** Expects every content that a row refers to to be stored and whole. @returns how many there are */
async function readAll(): Promise<number> {
  const rows = await desk.db.query<{ hash: Buffer; stored: boolean }>(
    "SELECT hash, stored FROM content WHERE hash IN (SELECT content_hash FROM test_snapshot UNION SELECT content_hash FROM snapshot_asset)",
  );
  expect(rows.filter((row) => !row.stored)).toEqual([]);
  for (const { hash } of rows) await desk.store.read(hash);
  return rows.length;
}

test.each([
  ["a plain file", rightFile, 1, 0],
  ["an archive", rightArchive, 2, 2],
])("%s is whole, although the collector comes at every moment", async (_what, file, contents, assets) => {
  const id = await desk.stage(file, desk.collect);
  await desk.collect();
  await desk.startApplying(id);
  await desk.collect();
  expect(await desk.apply(id)).toBe(true);
  await desk.collect();
  expect(await desk.job(id)).toMatchObject({ state: "finished", error: null, imported: { snapshots: 1 } });
  expect(await desk.db.query("SELECT error FROM snapshot_asset")).toEqual(
    Array.from({ length: assets }, () => ({ error: null })),
  );
  expect(await readAll()).toBe(contents);
  // and nothing is kept for good: contents of a deleted object are collected
  expect(await desk.count("import_content")).toEqual([0]);
  await desk.db.query("DELETE FROM test_object");
  await desk.collect();
  expect(await desk.count("content")).toEqual([0]);
});

test("bytes that are here already, and of which nothing else is left but the import, are kept too", async () => {
  await desk.importNow(rightArchive);
  await desk.db.query("UPDATE content SET touched_at = now()");
  const id = await desk.stage(rightArchive);
  await desk.db.query("DELETE FROM test_object");
  await desk.collect();
  await desk.startApplying(id);
  expect(await desk.apply(id)).toBe(true);
  expect(await readAll()).toBe(2);
});

test("an import that is stopped holds nothing any more", async () => {
  const id = await desk.stage(rightArchive);
  await desk.collect();
  expect(await desk.count("content")).toEqual([2]);
  expect(await endJob(desk.db, id, "cancelled", null)).toBe(true);
  await desk.collect();
  expect(await desk.count("content", "import_row", "import_content")).toEqual([0, 0, 0]);
});

test("bytes that the store has lost are mended by the import that brings them", async () => {
  await desk.importNow(rightArchive);
  for await (const { hash } of desk.store.list()) await desk.store.delete(hash);
  await desk.importNow(rightArchive);
  expect(await readAll()).toBe(2);
});

test("a file that is lost meanwhile ends the import in words, and nothing is written", async () => {
  const lost = /lost from the object store after the upload/;
  const early = await desk.stage(rightArchive);
  await desk.db.query("UPDATE content SET stored = false");
  await expect(desk.startApplying(early)).rejects.toThrow(lost);
  await endJob(desk.db, early, "failed", "lost");

  const late = await desk.stage(rightArchive);
  await desk.startApplying(late);
  // like an import of a version that did not keep staged contents: their rows can be gone as well
  await desk.db.query("DELETE FROM import_content");
  await desk.db.query("DELETE FROM content WHERE hash NOT IN (SELECT content_hash FROM import_row WHERE list = 2)");
  await expect(desk.apply(late)).rejects.toThrow(lost);
  expect(await desk.job(late)).toMatchObject({ state: "failed", error: expect.stringMatching(lost) });
  expect(await desk.count("test_object", "test_snapshot", "import_row")).toEqual([0, 0, 0]);
  expect(await desk.apply(late)).toBe(true);
});

/** Starts a process that writes an import. */
function applyElsewhere(id: string): ChildProcess {
  const program = `
    import { applyImport } from "@web-tester/gateway/transfer/apply-import";
    import { openDatabase } from "@web-tester/platform/database/database";
    const db = openDatabase(${JSON.stringify(desk.url)}, 2, () => undefined);
    const bus = { logLine: () => undefined, publish: () => Promise.resolve() };
    await applyImport({ db, bus, signal: new AbortController().signal }, ${JSON.stringify(id)});`;
  return spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname,
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: "ignore",
  });
}

const asleep = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";

/** Starts a process that writes an import, and kills it in the middle; needs the trigger below. */
async function crashWhileWriting(id: string): Promise<void> {
  const child = applyElsewhere(id);
  await until("the writer is in the middle", async () => (await desk.db.query(`SELECT 1 ${asleep}`)).length > 0);
  child.kill("SIGKILL");
  await once(child, "exit");
  await desk.db.query(`SELECT pg_terminate_backend(pid) ${asleep}`);
  await until("its session is gone", async () => (await desk.db.query(`SELECT 1 ${asleep}`)).length === 0);
}

test("what ends the process that writes it, again and again, is given up in words", async () => {
  const [id, other] = [await desk.stage(rightArchive), await desk.stage(rightFile)];
  for (const each of [id, other]) await desk.startApplying(each);
  await desk.db.query(`
    CREATE FUNCTION wait_long() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(600); RETURN NEW; END $$`);
  await desk.db.query("CREATE TRIGGER slow BEFORE INSERT ON test_instance FOR EACH ROW EXECUTE FUNCTION wait_long()");
  for (let crash = 1; crash <= 5; crash++) await crashWhileWriting(id);
  await crashWhileWriting(other);
  await desk.db.query("DROP TRIGGER slow ON test_instance");
  expect(await desk.apply(id)).toBe(true);
  expect(await desk.job(id)).toMatchObject({
    state: "failed",
    error: expect.stringMatching(/^“Site” could not be written: the gateway ended 5 times .+ It was tried 5 times\./),
  });
  expect(await desk.count("test_object", "test_snapshot")).toEqual([0, 0]);
  // the control: the import whose process died only once is written
  expect(await desk.apply(other)).toBe(true);
  expect(await desk.job(other)).toMatchObject({ state: "finished", attempts: 0 });
  expect(await desk.count("test_snapshot", "import_content")).toEqual([1, 0]);
});

test("two imports of one file at the same time bring it once", async () => {
  const ids = await Promise.all([desk.stage(rightArchive), desk.stage(rightArchive), desk.stage(rightArchive)]);
  await Promise.all(ids.map((id) => desk.startApplying(id)));
  // two workers write each of them, as after a message was redelivered
  await Promise.all([...ids, ...ids].map((id) => desk.apply(id)));
  const jobs = await Promise.all(ids.map((id) => desk.job(id)));
  expect(jobs.map((one) => one.state)).toEqual(["finished", "finished", "finished"]);
  expect(jobs.map((one) => one.imported?.snapshots ?? 0).toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
  expect(await desk.count("test_object", "test_instance", "test_snapshot")).toEqual([1, 1, 1]);
  expect(await desk.count("snapshot_asset", "import_content")).toEqual([2, 0]);
});

test("an upload whose process died holds nothing any more once it has been silent for a minute", async () => {
  const id = await desk.stage(rightArchive);
  await recoverImports.requeueExpired(desk.db);
  expect(await desk.job(id)).toMatchObject({ state: "reading" });
  await desk.db.query("UPDATE import_job SET queued_at = now() - interval '61 s'");
  await recoverImports.requeueExpired(desk.db);
  expect(await desk.job(id)).toMatchObject({
    state: "failed",
    error: expect.stringContaining("The upload broke off"),
  });
  await desk.collect();
  expect(await desk.count("import_row", "import_content", "content")).toEqual([0, 0, 0]);
  // an upload that was only slow is refused, and leaves nothing behind
  await expect(stageRecords(desk, id, { form: "archive", chunks: [rightArchive] as never }, () => 0)).rejects.toThrow(
    "The upload broke off",
  );
  expect(await desk.count("import_content")).toEqual([0]);
});

test("pages of a web archive are laid aside together, not each by itself", async () => {
  const pages = Array.from({ length: 100 }, (_, index) => {
    const answer = `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>page ${index}`;
    const fields = `WARC-Type: response\r\nWARC-Target-URI: https://site.example/${index}\r\nWARC-Date: 2016-01-01T00:00:00Z`;
    return Buffer.from(`WARC/1.0\r\n${fields}\r\nContent-Length: ${answer.length}\r\n\r\n${answer}\r\n\r\n`);
  });
  const id = await insertJob(desk.db, null, null);
  let transactions = 0;
  const db: Database = Object.assign(Object.create(desk.db), {
    transaction: <Result>(work: (tx: Queryable) => Promise<Result>) => {
      transactions += 1;
      return desk.db.transaction(work);
    },
  });
  await stageRecords({ ...desk, db }, id, { form: "warc", chunks: Readable.from(pages) }, () => 0);
  expect(transactions).toBeLessThan(20);
  await desk.startApplying(id);
  expect(await desk.apply(id)).toBe(true);
  expect(await readAll()).toBe(100);
});

test("a fault in an archive makes none of the right records behind it", async () => {
  const sha256 = createHash("sha256").update("<p>right").digest("hex");
  const records = (...testSnapshots: unknown[]) =>
    JSON.stringify({ ...JSON.parse(rightFile), testObjects: [], testInstances: [], testSnapshots });
  const right = { id: "s", testinstance_id: "i", created_at: "2026-01-02T00:00:00Z", html_sha256: sha256 };
  const parts = [
    tar("records-1.json", records({ ...right, html_sha256: undefined, created_at: "never" })).subarray(0, -1024),
    tar(`blobs/${sha256}`, "<p>right").subarray(0, -1024),
    tar("records-2.json", records(right)),
  ];
  const id = await insertJob(desk.db, null, null);
  const faults = await stageRecords(desk, id, { form: "archive", chunks: Readable.from(parts) }, () => 0);
  expect(faults).toMatchObject({ total: 1, first: [{ record: 1 }] });
});

/** Lets the gateway receive a request with this body. */
function receive(body: Buffer, usedStore: ObjectStore, db: Database = desk.db) {
  const request = Object.assign(Readable.from([body]), {
    headers: { "content-type": "application/x-tar" },
    complete: true,
  });
  const deps = { ...desk, db, store: usedStore, bus: deafBus, signal };
  return receiveImport(deps, request as never, { background: false, name: null });
}

test("a disk that is full while a file is received ends the import in words", async () => {
  let room = 1;
  const full: ObjectStore = {
    ...desk.store,
    write: (hash, bytes) =>
      room-- > 0
        ? desk.store.write(hash, bytes)
        : Promise.reject(
            new AppError("unavailable", "The object store cannot be used: the disk is full: free some space."),
          ),
  };
  await expect(receive(rightArchive, full)).rejects.toMatchObject({
    code: "unavailable",
    message:
      "The object store cannot be used: the disk is full: free some space. Nothing was imported; send the file again then.",
  });
  const [ended] = await desk.db.query("SELECT state, error FROM import_job");
  expect(ended).toEqual({ state: "failed", error: expect.stringContaining("the disk is full") });
  expect(await desk.count("import_row", "import_content", "test_object")).toEqual([0, 0, 0]);
  expect(await receive(rightArchive, desk.store)).toMatchObject({ snapshots: 1 });
});

test("a database that is away while a file is received says so in the list as soon as it is back, and the file can be sent again", async () => {
  let isAway = false;
  const away = () => Promise.reject(new AppError("unavailable", "The database does not answer."));
  const db: Database = {
    ...desk.db,
    query: (sql, values) => (isAway ? away() : desk.db.query(sql, values)),
    transaction: (work, options) => (isAway ? away() : desk.db.transaction(work, options)),
  };
  const vanishing: ObjectStore = { ...desk.store, write: (...args) => ((isAway = true), desk.store.write(...args)) };
  await expect(receive(rightArchive, vanishing, db)).rejects.toMatchObject({ code: "unavailable" });
  const states = () => desk.db.query("SELECT state, error FROM import_job");
  expect(await states()).toEqual([{ state: "reading", error: null }]);
  isAway = false;
  await until("an import that has ended", async () => (await states())[0]?.["state"] === "failed");
  // long before the reconciler would give the upload up
  expect((await states())[0]?.["error"]).toContain("The database does not answer");
  expect(await receive(rightArchive, desk.store)).toMatchObject({ snapshots: 1 });
});
