import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { backUp } from "@web-tester/backup/backup";
import { readManifest, verifyRowFiles } from "@web-tester/backup/backup-folder";
import { listedObjects } from "@web-tester/backup/listed-objects";
import { restore } from "@web-tester/backup/restore";
import { migrate } from "@web-tester/records/schema/data-source";
import { type Database, openDatabase } from "@web-tester/platform/database/database";
import { markLost } from "@web-tester/records/contents/stored-contents";
import { hashContent, openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { programOf } from "../../infra/local/bundled.mjs";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { until } from "../support/until.js";

/** A backup folder never loses its good copy, whether contents are lost, the store is away, or a backup is killed or started twice. */
const program = programOf("services/backup/dist/main.js");
const killAt = new URL("../support/kill-at.mjs", import.meta.url).href;
const signal = new AbortController().signal;

let own: OwnDatabase;
let db: Database;
let root: string;
let databases = 0;
/** The name of a database as a new product has it: with all tables, and no rows. */
let blank: string;

beforeAll(async () => {
  own = await startDatabase(4);
  await migrate(own.url);
  db = own.db;
  const name = new URL(own.url).pathname.slice(1);
  blank = `${name}_blank`;
  await db.query(`CREATE DATABASE ${blank} TEMPLATE ${name}`);
});
afterAll(async () => {
  await db.query(`DROP DATABASE ${blank}`);
  await own.stop();
});

let objects: string;
let folder: string;
let store: ObjectStore;
let pages: { hash: Buffer; bytes: Buffer }[];

beforeEach(async () => {
  if (root !== undefined) await rm(root, { recursive: true, force: true });
  root = await mkdtemp(join(tmpdir(), "web-tester-backup-"));
  objects = join(root, "store");
  folder = join(root, "backup");
  store = openObjectStore(pathToFileURL(objects).href);
  await db.query("UPDATE content SET base_hash = NULL");
  await db.query("TRUNCATE test_object, test_snapshot, content, content_removal CASCADE");
  await db.query("DELETE FROM stored_total");
  await db.query("INSERT INTO test_object (name, url) VALUES ('A site', 'http://a.example/')");
  await db.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT id, 'http://a.example/', '' FROM test_object",
  );
  pages = [];
  // a keyframe, a version stored as a delta on it, and an unrelated page
  const text = Array.from({ length: 90 }, () => randomBytes(16).toString("hex")).join("\n");
  await keep(Buffer.from(text), null);
  await keep(Buffer.from(`${text}\nmore`), pages[0]?.hash ?? null);
  await keep(Buffer.from("a page of its own"), null);
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function keep(bytes: Buffer, keyframe: Buffer | null): Promise<void> {
  const hash = hashContent(bytes);
  const packed = await store.pack(bytes, { keyframe, dictionary: null });
  expect(packed.base).toEqual(keyframe);
  await store.writePacked(hash, packed);
  await db.query(
    "INSERT INTO content (hash, size, stored, stored_size, base_hash, depth) VALUES ($1, $2, true, $3, $4, $5)",
    [hash, bytes.length, packed.stored.length, keyframe, packed.depth],
  );
  pages.push({ hash, bytes });
  await refer(hash);
}
const refer = (hash: Buffer) =>
  db.query(
    "INSERT INTO test_snapshot (test_instance_id, number, state, content_hash) SELECT id, $2, 'done', $1 FROM test_instance",
    [hash, pages.length],
  );

const place = () => ({ databaseUrl: own.url, storageUrl: pathToFileURL(objects).href });
async function backedUp(into = folder): Promise<{ said: string[]; failed: string | null }> {
  const said: string[] = [];
  const failed = await backUp(place(), { folder: into, say: (line) => said.push(line), signal }).then(
    () => null,
    (error: unknown) => String(error),
  );
  return { said, failed };
}

interface Restored {
  failed: string | null;
  said: string[];
  /** For each page, whether the new product can read all of its bytes. */
  whole: boolean[];
  /** For each page, the column `stored` of its restored row; undefined where there is no row. */
  stored: (boolean | undefined)[];
  sumIsRight: boolean | undefined;
}

/** Restores into an empty product. Only the first one has no tables either, as creating them takes longest. */
async function restored(choice: { incomplete?: boolean; lastWhole?: boolean } = {}, from = folder): Promise<Restored> {
  const name = `restored_${databases++}`;
  await db.query(databases === 1 ? `CREATE DATABASE ${name}` : `CREATE DATABASE ${name} TEMPLATE ${blank}`);
  const address = new URL(own.url);
  address.pathname = `/${name}`;
  const target = pathToFileURL(join(root, name)).href;
  const said: string[] = [];
  const failed = await restore(
    { databaseUrl: address.href, storageUrl: target },
    { ...choice, folder: from, say: (line) => said.push(line), signal },
  ).then(
    () => null,
    (error: unknown) => String(error),
  );
  const other = openDatabase(address.href, 1, () => undefined);
  const there = openObjectStore(target);
  const readable = (hash: Buffer, bytes: Buffer) =>
    there.read(hash).then(
      (content) => content.equals(bytes),
      () => false,
    );
  const whole = await Promise.all(pages.map(({ hash, bytes }) => readable(hash, bytes)));
  const rows =
    failed === null ? await other.query<{ hash: Buffer; stored: boolean }>("SELECT hash, stored FROM content") : [];
  const [sum] =
    failed === null
      ? await other.query<{ right: boolean }>(
          'SELECT coalesce((SELECT sum(bytes) FROM stored_total), 0) = coalesce((SELECT sum(stored_size) FROM content WHERE stored), 0) AS "right"',
        )
      : [];
  await other.close();
  await db.query(`DROP DATABASE ${name} WITH (FORCE)`);
  return {
    failed,
    said,
    whole,
    stored: pages.map(({ hash }) => rows.find((row) => row.hash.equals(hash))?.stored),
    sumIsRight: sum?.right,
  };
}

const all = (value: boolean) => pages.map(() => value);
const isStored = async (hash: Buffer) =>
  (await db.query<{ stored: boolean }>("SELECT stored FROM content WHERE hash = $1", [hash]))[0]?.stored;

test("the only good copy of a keyframe that was lost stays, and the version on it can be restored", async () => {
  expect((await backedUp()).failed).toBeNull();
  const [keyframe] = pages;
  if (keyframe === undefined) throw new Error("there is one");
  await store.delete(keyframe.hash);
  await markLost(db, keyframe.hash.toString("hex"));
  expect(await backedUp()).toMatchObject({
    failed: null,
    said: expect.arrayContaining([expect.stringMatching(/^Backed up/)]),
  });
  expect(await isStored(keyframe.hash)).toBe(false);
  expect(await restored()).toMatchObject({ failed: null, whole: all(true), stored: all(true), sumIsRight: true });
});

test("a store that was not there for an hour hollows nothing out, and what is back is noted as stored", async () => {
  expect((await backedUp()).failed).toBeNull();
  await rename(objects, `${objects}-away`);
  for (const { hash } of pages) await markLost(db, hash.toString("hex"));
  expect((await backedUp()).failed).toBeNull();
  expect(await restored()).toMatchObject({ failed: null, whole: all(true), stored: all(true) });
  await rm(objects, { recursive: true, force: true });
  await rename(`${objects}-away`, objects);
  const back = await backedUp();
  expect(back).toMatchObject({
    failed: null,
    said: expect.arrayContaining([expect.stringMatching(/^3 contents .* stored again/)]),
  });
  expect(await Promise.all(pages.map(({ hash }) => isStored(hash)))).toEqual(all(true));
});

test("a backup that misses bytes says which, fails, and keeps the last whole one beside it", async () => {
  expect((await backedUp()).failed).toBeNull();
  await keep(Buffer.from("a page that came later"), null);
  const lost = pages[3];
  if (lost === undefined) throw new Error("there is one");
  await store.delete(lost.hash);
  for (let time = 0; time < 2; time++) {
    const { failed } = await backedUp();
    expect(failed).toContain(`misses 1 contents (${lost.hash.toString("hex")})`);
    expect(failed).toContain("The last one that missed nothing");
  }
  const refused = await restored();
  expect(refused.failed).toMatch(/misses 1 contents .*Nothing was restored.*--incomplete.*--last-whole/);
  const incomplete = await restored({ incomplete: true });
  expect(incomplete).toMatchObject({
    failed: null,
    whole: [true, true, true, false],
    stored: [true, true, true, false],
    sumIsRight: true,
  });
  expect(incomplete.said.join()).toContain("WARNING: 1 contents are missing");
  expect(await restored({ lastWhole: true })).toMatchObject({ failed: null, stored: [true, true, true, undefined] });
  // the lost content is put back into the store by hand
  await store.write(lost.hash, lost.bytes);
  expect((await backedUp()).failed).toBeNull();
  expect(await readdir(folder)).not.toContain("last-whole.json");
  expect((await readdir(folder)).filter((name) => name.startsWith("rows-"))).toHaveLength(1);
  expect(await restored()).toMatchObject({ failed: null, whole: all(true), stored: all(true) });
});

test("what only the last whole backup needs stays with what it rests on, and goes after the next whole one", async () => {
  expect((await backedUp()).failed).toBeNull();
  const [keyframe, version] = pages;
  if (keyframe === undefined || version === undefined) throw new Error("there are two");
  // the keyframe and the version are deleted, and a page that came later is lost from the store
  await db.query("DELETE FROM test_snapshot WHERE content_hash = ANY($1)", [[keyframe.hash, version.hash]]);
  await db.query("DELETE FROM content WHERE hash = $1", [version.hash]);
  await db.query("DELETE FROM content WHERE hash = $1", [keyframe.hash]);
  await keep(Buffer.from("lost at once"), null);
  const lost = pages[3];
  if (lost === undefined) throw new Error("there is one");
  await store.delete(lost.hash);
  expect((await backedUp()).failed).toContain("misses 1 contents");
  expect((await restored({ lastWhole: true })).whole.slice(0, 3)).toEqual([true, true, true]);
  await store.write(lost.hash, lost.bytes);
  const next = await backedUp();
  expect(next.failed).toBeNull();
  expect(next.said.join()).toContain("2 that no row names any more removed");
});

test("a damaged backup is restored as far as it is whole when that is asked for", async () => {
  expect((await backedUp()).failed).toBeNull();
  const hex = pages[2]?.hash.toString("hex") ?? "";
  await rm(join(folder, "objects", hex.slice(0, 2), hex));
  expect((await restored()).failed).toMatch(/is damaged: 1 contents are missing .*--incomplete/);
  expect(await restored({ incomplete: true })).toMatchObject({
    failed: null,
    whole: [true, true, false],
    stored: [true, true, false],
    sumIsRight: true,
  });
});

test("a database that was made anew by mistake does not take the place of a good backup", async () => {
  expect((await backedUp()).failed).toBeNull();
  await cp(folder, `${folder}-copy`, { recursive: true });
  await db.query("UPDATE content SET base_hash = NULL");
  await db.query("TRUNCATE test_object, test_snapshot, content CASCADE");
  expect((await backedUp()).failed).toMatch(/no test object.*stays as it is/);
  expect(await restored()).toMatchObject({ failed: null, whole: all(true) });
});

const env = () => ({
  ...process.env,
  DATABASE_URL: own.url,
  STORAGE_URL: pathToFileURL(objects).href,
  SECRET_KEY: "5e".repeat(32),
});

function start(more: Record<string, string>, ...flags: string[]): ChildProcess & { complained: () => string } {
  const child = spawn(process.execPath, [...flags, program, "backup", folder], {
    env: { ...env(), ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let complained = "";
  child.stderr.on("data", (part: Buffer) => (complained += part.toString()));
  return Object.assign(child, { complained: () => complained });
}

test("a folder that cannot be used is named, and a backup that fails leaves no rows behind", async () => {
  await writeFile(join(root, "file"), "");
  expect((await backedUp(join(root, "file"))).failed).toContain("there is a file of that name: name another folder");
  expect((await backedUp()).failed).toBeNull();
  const kept = (await readdir(folder)).toSorted();
  await mkdir(join(folder, "rows-of-one-that-was-killed"));
  const draft = join(folder, "manifest.json.new");
  await mkdir(draft);
  expect((await backedUp()).failed).not.toBeNull();
  await rm(draft, { recursive: true });
  expect((await readdir(folder)).toSorted()).toEqual(kept);
});

test("of two backups into one folder the second is refused in words; one that died makes room", async () => {
  const first = start({});
  await new Promise<void>((resolve) => {
    createInterface({ input: first.stdout ?? process.stdin }).on("line", (line) => {
      if (!line.startsWith("Rows:")) return;
      first.kill("SIGSTOP");
      resolve();
    });
  });
  expect((await backedUp()).failed).toMatch(/A backup \(process \d+ on .*\) is using .*: wait for its end/);
  first.kill("SIGKILL");
  await once(first, "exit");
  expect((await backedUp()).failed).toBeNull();
  expect(await restored()).toMatchObject({ failed: null, whole: all(true) });
  expect(await readdir(folder)).not.toContain("lock");
});

test("a holder on another machine counts until it has not renewed its lock for a minute", async () => {
  expect((await backedUp()).failed).toBeNull();
  const lock = join(folder, "lock");
  const elsewhere = { what: "backup", host: "other", since: "then", place: "another", pid: 7, birth: "7", token: "x" };
  await writeFile(lock, JSON.stringify(elsewhere));
  expect((await backedUp()).failed).toContain("A backup (process 7 on other, since then) is using");
  expect((await restored()).failed).toContain("A backup (process 7 on other, since then) is using");
  const longAgo = new Date(Date.now() - 61_000);
  await utimes(lock, longAgo, longAgo);
  expect((await backedUp()).failed).toBeNull();
  // a backup whose lock was taken over stops before it writes the manifest
  const manifest = await readFile(join(folder, "manifest.json"), "utf8");
  const robbed = await backUp(place(), {
    folder,
    signal,
    say: () => writeFileSync(lock, JSON.stringify(elsewhere)),
  }).catch(String);
  expect(robbed).toContain("has taken");
  expect(await readFile(join(folder, "manifest.json"), "utf8")).toBe(manifest);
});

/** The errors of the contents that the newest backup in the folder lists but that cannot be read from it. */
async function faults(): Promise<string[]> {
  const manifest = await readManifest(folder);
  await verifyRowFiles(folder, manifest);
  const kept = openObjectStore(pathToFileURL(join(folder, "objects")).href);
  const found: string[] = [];
  for await (const { hash } of listedObjects(join(folder, manifest.rows), manifest.objects.file))
    await kept.read(hash).catch((error: unknown) => found.push(String(error)));
  return found;
}

test("killed at any change to the folder, there is a backup that can be restored whole", async () => {
  expect((await backedUp()).failed).toBeNull();
  const first = `${folder}-first`;
  await rename(folder, first);
  // since the first backup, the version and its keyframe were deleted and a new page was stored
  await db.query("DELETE FROM test_snapshot WHERE content_hash <> $1", [pages[2]?.hash]);
  await db.query("DELETE FROM content WHERE depth = 1");
  await db.query("DELETE FROM content WHERE hash = $1", [pages[0]?.hash]);
  await keep(Buffer.from("a page that came later"), null);
  const nameOf = async (of: string) => (await readManifest(of)).rows;
  const isBefore = async () => (await nameOf(folder)) === (await nameOf(first));
  /** @returns whether the backup ran to its end, because it makes fewer than `at` changes to the folder */
  const killedAt = async (at: number): Promise<boolean> => {
    await rm(folder, { recursive: true, force: true });
    await cp(first, folder, { recursive: true });
    const child = start({ KILL_BELOW: folder, KILL_AT: String(at) }, "--import", killAt);
    const [code] = (await once(child, "exit")) as [number | null];
    expect([at, code, child.complained()]).toEqual([at, code === 0 ? 0 : null, ""]);
    expect([at, await faults()]).toEqual([at, []]);
    return code === 0;
  };
  // each table has its file, so there are more changes than can be tried one by one in a minute
  const stride = 10;
  let at = 1;
  while (!(await killedAt(at)) && (await isBefore())) at += stride;
  // change by change around the one at which the new backup replaces the old: from at least two before it on; later in strides again
  const counts = { before: 0, after: 0 };
  for (at = Math.max(1, at - stride - 1); !(await killedAt(at)); at += counts.after > stride ? stride : 1)
    counts[(await isBefore()) ? "before" : "after"] += 1;
  expect(counts).toEqual({ before: expect.any(Number), after: expect.any(Number) });
  expect(Math.min(counts.before, counts.after)).toBeGreaterThan(1);
  // the next backup clears up
  expect((await backedUp()).failed).toBeNull();
  expect((await readdir(folder)).toSorted()).toEqual(["manifest.json", "objects", expect.stringMatching(/^rows-/)]);
}, 400_000);

test("the program ends with 1 where contents are missing, and says so", async () => {
  await store.delete(pages[2]?.hash ?? Buffer.alloc(32));
  const child = start({});
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(1);
  expect(child.complained()).toContain("misses 1 contents");
  await until("the lock is gone", async () => !(await readdir(folder)).includes("lock"));
});
