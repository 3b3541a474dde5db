import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { backUp } from "@web-tester/backup/backup";
import { restore } from "@web-tester/backup/restore";
import { type Database, openDatabase } from "@web-tester/platform/database/database";
import { installationOf, markerKey, markMaxBytes, markOf } from "@web-tester/platform/object-store/bucket-presence";
import { hashContent, openObjectDriver, openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { startS3, type S3Server } from "@web-tester/platform/object-store/test-s3";
import { readInstallation } from "@web-tester/records/installation/installation";
import { migrate } from "@web-tester/records/schema/data-source";
import { migrationNames } from "@web-tester/records/schema/migrations";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** A bucket or folder belongs to one database, also after a restore. */
const signal = new AbortController().signal;
const content = Buffer.from("a page");
const hash = hashContent(content);
const whole = { content, isMarked: true };
const stranger = "01990000-0000-7000-8000-00000000000f";
let own: OwnDatabase;
let server: S3Server;
let folder: string;
let databases = 0;
const before = { ...process.env };

beforeAll(async () => {
  [own, server] = await Promise.all([startDatabase(), startS3(["old", "new"])]);
  // the programs take their credentials from the environment
  Object.assign(process.env, server.env);
  await own.db.query("INSERT INTO test_object (name, url) VALUES ('A site', 'http://a.example/')");
  await own.db.query("INSERT INTO content (hash, size, stored, stored_size) VALUES ($1, $2, true, 1)", [hash, 6]);
});
afterAll(async () => {
  process.env = before;
  await Promise.all([own.stop(), server.close()]);
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-backup-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const addressOf = (bucket: string) =>
  `s3://${server.bucket(bucket)}/${databases}?endpoint=${server.endpoint}&region=us-east-1&forcePathStyle=true`;

/** Opens the store of a database as a service does at its start. */
async function open(db: Database, address: string): Promise<ObjectStore> {
  const store = openObjectStore(address);
  store.belongsTo(await readInstallation(db));
  store.mayBeAway(true);
  return store;
}

const mark = (address: string, installation: string | null) =>
  openObjectDriver(address).put(markerKey, markOf(installation));
async function marked(address: string): Promise<string | null> {
  const bytes = await openObjectDriver(address).get(markerKey, markMaxBytes);
  return bytes === null ? null : installationOf(bytes);
}

/** Backs up the product with its bucket `old`. */
async function backedUp(): Promise<void> {
  databases++;
  const address = addressOf("old");
  await openObjectStore(address).write(hash, content);
  // copied there by hand
  await mark(address, null);
  await (await open(own.db, address)).check();
  await backUp({ databaseUrl: own.url, storageUrl: address }, { folder, say: () => undefined, signal });
}

/** Restores into a new database. @returns what its store has then, and whether the mark is its own @param prepare is done with it before, as a product does that was started once */
const restored = (bucket: string, prepare?: (db: Database) => Promise<void>) => restoredAt(addressOf(bucket), prepare);

async function restoredAt(address: string, prepare: (db: Database) => Promise<void> = () => Promise.resolve()) {
  const url = new URL(own.url);
  url.pathname = `${url.pathname}_${databases}`;
  await own.db.query(`CREATE DATABASE ${url.pathname.slice(1)}`);
  const db = openDatabase(url.href, 1, () => undefined);
  await prepare(db);
  try {
    await restore({ databaseUrl: url.href, storageUrl: address }, { folder, say: () => undefined, signal });
    const store = await open(db, address);
    await store.check();
    const { id, hasMarked } = await readInstallation(db);
    return { content: await store.read(hash), isMarked: hasMarked && (await marked(address)) === id };
  } finally {
    await db.close();
    await own.db.query(`DROP DATABASE ${url.pathname.slice(1)} WITH (FORCE)`);
  }
}

const startOnce = (bucket: string) => async (db: Database) => {
  await migrate(new URL(`${new URL(own.url).pathname}_${databases}`, own.url).href);
  const store = openObjectStore(addressOf(bucket));
  store.belongsTo(await readInstallation(db));
  store.mayBeAway(false);
  await store.check();
};

test("a backup is restored into the bucket that it was made from, which then belongs to the new database", async () => {
  await backedUp();
  expect(await restored("old")).toEqual(whole);
  await expect((await open(own.db, addressOf("old"))).check()).rejects.toThrow(/another installation/);
});

test("a backup is restored into an empty bucket, also where the new product was started before", async () => {
  await backedUp();
  expect(await restored("new")).toEqual(whole);
  await backedUp();
  expect(await restored("new", startOnce("new"))).toEqual(whole);
  await backedUp();
  // the product was started with another bucket
  expect(await restored("new", startOnce("objects"))).toEqual(whole);
});

test("a bucket of a third installation is refused, until somebody hands it over", async () => {
  await backedUp();
  await mark(addressOf("new"), stranger);
  await expect(restored("new")).rejects.toThrow(/store of another installation.*Nothing was restored/);
  expect(await marked(addressOf("new"))).toBe(stranger);
  await mark(addressOf("new"), null);
  expect(await restored("new")).toEqual(whole);
});

test("a folder of another installation is refused too, and belongs to the restored database afterwards", async () => {
  await backedUp();
  const address = pathToFileURL(join(folder, "store")).href;
  await mark(address, stranger);
  await expect(restoredAt(address)).rejects.toThrow(/store of another installation.*Nothing was restored/);
  await mark(address, null);
  const { content: kept } = await restoredAt(address);
  expect([kept, await marked(address)]).toEqual([content, expect.not.stringContaining(stranger)]);
});

test("the identity stays while an earlier version is in use", async () => {
  const { id } = await readInstallation(own.db);
  await migrate(own.url, migrationNames.indexOf("Installation1700000152000"));
  await migrate(own.url);
  expect(await readInstallation(own.db)).toMatchObject({ id });
});
