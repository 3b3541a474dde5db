import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Database, openDatabase } from "@web-tester/platform/database/database";
import { createHostSemaphore } from "@web-tester/records/hosts/host-semaphore";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { type DeafProxy, openDeafProxy } from "../support/deaf-proxy.js";

/** Connections that nobody closes, and on which nothing arrives any more, do not block their callers. */
let own: OwnDatabase;
let proxy: DeafProxy;
let db: Database;
let told: Error[];

const patienceMs = 300;

beforeAll(async () => {
  own = await startDatabase();
});
afterAll(() => own.stop());
beforeEach(async () => {
  proxy = await openDeafProxy(own.url);
  told = [];
  db = openDatabase(proxy.url, 2, (error) => void told.push(error), undefined, patienceMs);
});
afterEach(async () => {
  await db.close();
  await proxy.close();
});

const session = async () => (await db.query<{ pid: number }>("SELECT pg_backend_pid() AS pid, pg_sleep(0.1)"))[0]?.pid;

test("a statement whose answer never comes fails, the next one gets it, on new connections all", async () => {
  const before = await Promise.all([session(), session()]);
  proxy.deafen();
  await expect(db.query("SELECT 1")).rejects.toMatchObject({ code: "unavailable" });
  expect(told).toHaveLength(1);
  expect(told[0]?.message).toMatch(/waits for us on 1 of our connections/);
  const after = await Promise.all([session(), session()]);
  expect(before.filter((pid) => after.includes(pid))).toEqual([]);
  expect(told).toHaveLength(1);
});

test("so does a transaction, wherever it is cut off", async () => {
  await session();
  const transaction = db.transaction(async (tx) => {
    await tx.query("SELECT 1");
    proxy.deafen();
  });
  await expect(transaction).rejects.toMatchObject({ code: "unavailable" });
  expect(await db.transaction((tx) => tx.query("SELECT 1 AS one"))).toEqual([{ one: 1 }]);
});

test("what takes long, and a transaction that waits for something else, is let be", async () => {
  const long = db.query("SELECT pg_sleep(1.5), 1 AS one");
  const thinking = db.transaction(async (tx) => {
    await tx.query("SELECT 1");
    await long;
    return tx.query("SELECT 2 AS two");
  });
  expect(await long).toMatchObject([{ one: 1 }]);
  expect(await thinking).toEqual([{ two: 2 }]);
  expect(told).toEqual([]);
});

test("places at hosts are given again, after the session that held some was cut off", async () => {
  const places = createHostSemaphore(proxy.url, 1, undefined, 1_500);
  expect(await places.tryTake("site.test", "now")).not.toBeNull();
  expect(await places.tryTake("site.test", "now")).toBeNull();
  proxy.deafen();
  await expect(places.tryTake("other.test", "now")).rejects.toMatchObject({ code: "unavailable" });
  expect(await places.tryTake("other.test", "now")).not.toBeNull();
  await places.close();
});
