import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { backUp } from "@web-tester/backup/backup";
import { restore } from "@web-tester/backup/restore";
import { readManifest } from "@web-tester/backup/backup-folder";
import { openDatabase } from "@web-tester/platform/database/database";
import { hashContent, openObjectDriver, openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { objectKey } from "@web-tester/platform/object-store/content-hash";
import { migrate } from "@web-tester/records/schema/data-source";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** A folder holds the backups of one product, and none is made where the product keeps its own contents. */
const signal = new AbortController().signal;
const say = () => undefined;
const page = Buffer.from("a page");
const unnamed = hashContent(Buffer.from("stored by a fetch whose row comes later"));
let own: OwnDatabase;
let root: string;
let databases = 0;

beforeAll(async () => {
  own = await startDatabase(4);
});
afterAll(() => own.stop());
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "web-tester-whose-"));
});
afterEach(() => rm(root, { recursive: true, force: true }));

interface Made {
  databaseUrl: string;
  storageUrl: string;
}

const storeOf = (name: string) => join(root, name, "objects");

/** Makes a product of its own, without rows and tables. */
async function blank(name: string): Promise<Made> {
  const url = new URL(own.url);
  url.pathname = `${url.pathname}_${databases++}`;
  await own.db.query(`CREATE DATABASE ${url.pathname.slice(1)}`);
  return { databaseUrl: url.href, storageUrl: pathToFileURL(storeOf(name)).href };
}

/** Makes a product with a test object and a stored page. */
async function product(name: string): Promise<Made> {
  const made = await blank(name);
  await migrate(made.databaseUrl);
  const db = openDatabase(made.databaseUrl, 1, () => undefined);
  await db.query("INSERT INTO test_object (name, url) VALUES ($1, 'http://a.example/')", [name]);
  const { storedSize } = await openObjectStore(made.storageUrl).write(hashContent(page), page);
  await db.query("INSERT INTO content (hash, size, stored, stored_size) VALUES ($1, $2, true, $3)", [
    hashContent(page),
    page.length,
    storedSize,
  ]);
  await db.close();
  return made;
}

test("a backup of one product does not take the place of another's", async () => {
  const [first, second] = [await product("first"), await product("second")];
  const folder = join(root, "backup");
  await backUp(first, { folder, say, signal });
  const before = await readManifest(folder);
  await expect(backUp(second, { folder, say, signal })).rejects.toThrow(
    /that of another product, with another database: it stays as it is/,
  );
  expect(await readManifest(folder)).toEqual(before);
  // its own goes on there
  await backUp(first, { folder, say, signal });
  expect((await readManifest(folder)).rows).not.toBe(before.rows);
});

test("a product that was restored goes on with the folder that it was restored from", async () => {
  const [first, next] = [await product("first"), await blank("next")];
  const folder = join(root, "backup");
  await backUp(first, { folder, say, signal });
  await restore(next, { folder, say, signal });
  await backUp(next, { folder, say, signal });
  const after = await readManifest(folder);
  await backUp(next, { folder, say, signal });
  // from then on it is the folder of the restored one
  await expect(backUp(first, { folder, say, signal })).rejects.toThrow(/that of another product/);
  expect((await readManifest(folder)).installation).toBe(after.installation);
});

test("no backup is made where the product keeps its contents, and nothing is removed there", async () => {
  const made = await product("data");
  const driver = openObjectDriver(made.storageUrl);
  await driver.put(objectKey(unnamed), Buffer.from("bytes"));
  await symlink(join(root, "data"), join(root, "link"));
  const before = (await readdir(join(root, "data"))).toSorted();
  for (const folder of [join(root, "data"), storeOf("data"), join(storeOf("data"), "new"), join(root, "link")])
    await expect(backUp(made, { folder, say, signal })).rejects.toThrow(/the product itself keeps its contents in/);
  expect((await readdir(join(root, "data"))).toSorted()).toEqual(before);
  expect(await driver.has(objectKey(unnamed))).toBe(true);
  // beside them it may be
  await mkdir(join(root, "data", "..backups"));
  await backUp(made, { folder: join(root, "data", "..backups"), say, signal });
  expect((await readManifest(join(root, "data", "..backups"))).objects.count).toBe(1);
});
