import { createHash } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { storeBodies } from "@web-tester/fetcher/steps/store-bodies";
import { migrate } from "@web-tester/records/schema/data-source";
import { type Database, openDatabase } from "@web-tester/platform/database/database";
import { touchContent } from "@web-tester/records/contents/touch-contents";
import { adoptDictionary } from "@web-tester/records/objects/adopt-dictionary";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashContent, openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { collectStrays, collectUnused } from "@web-tester/records/contents/collect-contents";
import fc from "fast-check";
import { startStack, type Stack } from "../../infra/local/stack.mjs";

/**
 * Writers, readers, deleters and collectors at once, in orders that fast-check chooses: the content of a snapshot can always
 * be read, with every content that it is based on, and what nothing refers to is removed in the end.
 */
const graceMs = 3_600_000;
const signal = new AbortController().signal;
const pages = 2;
const versions = 3;

let folder: string;
let stack: Stack;
let db: Database;
let objectId: string;
let instanceIds: string[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-test-"));
  await chmod(folder, 0o711); // PostgreSQL runs as another user if the tests run as root
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], DATA_DIR: join(folder, "data"), PORT: "0" };
  stack = await startStack(env, { services: false });
  await migrate(stack.databaseUrl);
  db = openDatabase(stack.databaseUrl, 12, () => undefined);
});
afterAll(async () => {
  await db.close();
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Opens a store with nothing in memory, so that every read reads the disk. */
const freshStore = () => openObjectStore(stack.storageUrl);

beforeEach(async () => {
  await db.query("UPDATE content SET base_hash = NULL");
  await db.query("TRUNCATE test_object, test_snapshot, content CASCADE");
  const store = freshStore();
  for await (const { hash } of store.list()) await store.delete(hash);
  const [object] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ('A site', 'http://a.example/') RETURNING id",
  );
  objectId = object?.id ?? "";
  const rows = await db.query<{ id: string }>(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, 'http://a.example/' || n, '' FROM generate_series(1, $2::int) AS n RETURNING id",
    [objectId, pages],
  );
  instanceIds = rows.map(({ id }) => id);
});

/** Returns one version of a page. Versions of a page differ in one line, pages in everything but their boilerplate. */
function contentOf(page: number, version: number): Buffer {
  const own = Array.from({ length: 120 }, (_, line) => createHash("sha256").update(`${page}:${line}`).digest("hex"));
  const shared = Array.from({ length: 40 }, (_, line) => createHash("sha256").update(`nav ${line}`).digest("hex"));
  return Buffer.from(`<nav>${shared.join("\n")}</nav>\n${own.join("\n")}\n<p>version ${version}</p>`);
}

const beforeThis = `
  SELECT encode(CASE WHEN c.depth = 0 THEN c.hash ELSE c.base_hash END, 'hex') AS keyframe, encode(o.dictionary_hash, 'hex') AS dictionary
  FROM test_object o JOIN test_instance i ON i.test_object_id = o.id
  LEFT JOIN test_snapshot s ON s.test_instance_id = i.id LEFT JOIN content c ON c.hash = s.content_hash AND c.stored
  WHERE i.id = $1 ORDER BY s.id DESC NULLS LAST LIMIT 1`;

/** Stores a page as a fetcher does: first blobs, then rows. Pauses stand for a slow network. */
async function write(store: ObjectStore, page: number, version: number, pause: () => Promise<void>): Promise<void> {
  const body = contentOf(page, version);
  const hash = hashContent(body).toString("hex");
  const [before] = await db.query<{ keyframe: string | null; dictionary: string | null }>(beforeThis, [
    instanceIds[page],
  ]);
  await pause();
  const previous = before?.keyframe == null ? null : { ...nothing, keyframe: before.keyframe };
  const slow: ObjectStore = {
    ...store,
    pack: async (bytes, bases) => {
      const packed = await store.pack(bytes, bases);
      await pause();
      return packed;
    },
    writePacked: async (key, packed) => {
      await pause();
      return store.writePacked(key, packed);
    },
  };
  const { storedSizes } = await storeBodies(
    { db, store: slow },
    [{ hash, body, snapshot: { dictionary: before?.dictionary ?? null, previous } }],
    [],
  );
  await pause();
  await db.query(
    `WITH c AS (UPDATE content SET stored = true, stored_size = CASE WHEN stored THEN stored_size ELSE $3 END WHERE hash = decode($2, 'hex') RETURNING hash)
     INSERT INTO test_snapshot (test_instance_id, number, state, content_hash) SELECT $1, 1, 'done', hash FROM c`,
    [instanceIds[page], hash, storedSizes.get(hash) ?? 0],
  );
  await adoptDictionary(db, objectId, [hash]);
}

const nothing = {
  hash: "",
  size: 0,
  charset: null,
  filesId: null,
  filesHash: null,
  headers: {},
  finalUrl: null,
  redirected: false,
  askedAs: null,
  scripts: null,
  wholeIsDue: false,
};

/** Reads the newest snapshot of a page; only one that was deleted meanwhile may be unreadable. */
async function readNewest(page: number, pause: () => Promise<void>): Promise<string[]> {
  const [row] = await db.query<{ id: string; hash: Buffer }>(
    "SELECT id, content_hash AS hash FROM test_snapshot WHERE test_instance_id = $1 ORDER BY id DESC LIMIT 1",
    [instanceIds[page]],
  );
  if (row === undefined) return [];
  await pause();
  try {
    await freshStore().read(row.hash);
    return [];
  } catch (error) {
    const [still] = await db.query("SELECT 1 FROM test_snapshot WHERE id = $1", [row.id]);
    return still === undefined ? [] : [String(error)];
  }
}

const deleteSome = (page: number) =>
  db.query(
    "DELETE FROM test_snapshot WHERE id IN (SELECT id FROM test_snapshot WHERE test_instance_id = $1 ORDER BY id LIMIT 2)",
    [instanceIds[page]],
  );

/** Makes all contents older than the grace time. */
const age = () => db.query("UPDATE content SET touched_at = now() - interval '2 hours'");

const collect = async () => {
  const store = freshStore();
  await collectUnused({ db, store, graceMs, signal });
  await collectStrays({ db, store, graceMs: 0, signal });
};

/** Lists the snapshots' contents that cannot be read, be it for a content that they are based on. */
async function unreadable(): Promise<string[]> {
  const rows = await db.query<{ hash: Buffer }>("SELECT DISTINCT content_hash AS hash FROM test_snapshot");
  const store = freshStore();
  const faults = await Promise.all(
    rows.map(async ({ hash }) =>
      store.read(hash).then(
        () => [],
        (error: unknown) => [String(error)],
      ),
    ),
  );
  return faults.flat();
}

const act = fc.record({
  kind: fc.constantFrom("write", "write", "write", "write", "read", "delete", "collect", "delete and collect"),
  page: fc.nat(pages - 1),
  version: fc.nat(versions - 1),
  pauses: fc.array(fc.nat(8), { minLength: 4, maxLength: 4 }),
});
const rounds = fc.array(fc.array(act, { minLength: 4, maxLength: 12, size: "max" }), {
  minLength: 4,
  maxLength: 6,
  size: "max",
});

test("whatever the order, what a snapshot refers to can be read, and what nothing needs goes", async () => {
  let versionsSeen = 0;
  await fc.assert(
    fc.asyncProperty(rounds, async (chosen) => {
      const faults: string[] = [];
      for (const round of chosen) {
        // all contents of earlier rounds are old enough for the collector
        await age();
        await Promise.all(
          round.map(async ({ kind, page, version, pauses }) => {
            const left = [...pauses];
            const pause = async () => {
              for (let turns = left.pop() ?? 0; turns > 0; turns--) await db.query("SELECT 1");
            };
            await pause();
            if (kind === "write") await write(freshStore(), page, version, pause);
            else if (kind === "read") faults.push(...(await readNewest(page, pause)));
            else {
              if (kind !== "collect") await deleteSome(page);
              if (kind !== "delete") await collect();
            }
          }),
        );
        faults.push(...(await unreadable()));
        const [row] = await db.query<{ n: number }>(
          "SELECT count(*)::int AS n FROM content WHERE depth = 1 AND stored",
        );
        versionsSeen += row?.n ?? 0;
      }
      expect(faults).toEqual([]);

      await db.query("DELETE FROM test_object");
      await db.query("INSERT INTO test_object (id, name, url) VALUES ($1, 'A site', 'http://a.example/')", [objectId]);
      await db.query(
        "INSERT INTO test_instance (id, test_object_id, url, name) SELECT id, $1, id::text, '' FROM unnest($2::uuid[]) AS id",
        [objectId, instanceIds],
      );
      await age();
      await collect();
      expect(await db.query("SELECT hash FROM content")).toEqual([]);
      expect(await freshStore().usage()).toEqual({ bytes: 0 });
    }),
    { numRuns: 25, endOnFailure: true },
  );
  expect(versionsSeen).toBeGreaterThan(25);
});

test("a keyframe whose own snapshots are gone stays while a version rests on it, and goes with it", async () => {
  const go = () => Promise.resolve();
  await write(freshStore(), 0, 0, go);
  await write(freshStore(), 1, 0, go);
  await write(freshStore(), 1, 1, go);
  expect(await db.query("SELECT depth FROM content WHERE base_hash IS NOT NULL ORDER BY depth")).toEqual([
    { depth: 0 }, // a first version against the site's dictionary
    { depth: 1 },
  ]);
  await db.query("DELETE FROM test_snapshot WHERE content_hash = $1", [hashContent(contentOf(1, 0))]);
  await age();
  await collect();
  expect((await freshStore().read(hashContent(contentOf(1, 1)))).equals(contentOf(1, 1))).toBe(true);
  expect(await freshStore().has(hashContent(contentOf(1, 0)))).toBe(true);

  await db.query("DELETE FROM test_snapshot WHERE content_hash = $1", [hashContent(contentOf(1, 1))]);
  await age();
  await collect();
  expect(await freshStore().has(hashContent(contentOf(1, 0)))).toBe(false);
});

test("holding the base is what keeps it: written without, a version loses it", async () => {
  const store = freshStore();
  const [first, second] = [contentOf(0, 0), contentOf(0, 1)];
  const keyframe = hashContent(first);
  const outcome = async (announce: boolean) => {
    await write(freshStore(), 0, 0, () => Promise.resolve());
    await db.query("UPDATE test_object SET dictionary_hash = NULL");
    await db.query("DELETE FROM test_snapshot");
    await age();
    const hash = hashContent(second).toString("hex");
    if (announce)
      await storeBodies(
        { db, store },
        [
          {
            hash,
            body: second,
            snapshot: { dictionary: null, previous: { ...nothing, keyframe: keyframe.toString("hex") } },
          },
        ],
        [],
      );
    else {
      await touchContent(db, new Map([[hash, second.length]]));
      await store.writePacked(hashContent(second), await store.pack(second, { keyframe, dictionary: null }));
    }
    await collect();
    return freshStore()
      .read(hashContent(second))
      .then(
        (content) => content.equals(second),
        () => false,
      );
  };
  expect(await outcome(true)).toBe(true);
  await db.query("UPDATE content SET base_hash = NULL");
  await db.query("DELETE FROM content");
  expect(await outcome(false)).toBe(false);
});

test("two fetchers store one content against different bases: the first decides, and both are right", async () => {
  const [one, other] = [contentOf(0, 0), contentOf(0, 1)];
  const shared = contentOf(0, 2);
  const hash = hashContent(shared).toString("hex");
  const store = freshStore();
  for (const body of [one, other]) {
    await touchContent(db, new Map([[hashContent(body).toString("hex"), body.length]]));
    await store.write(hashContent(body), body);
    await db.query("UPDATE content SET stored = true WHERE hash = $1", [hashContent(body)]);
  }
  await Promise.all(
    [one, other].map((base) =>
      storeBodies(
        { db, store: freshStore() },
        [
          {
            hash,
            body: shared,
            snapshot: { dictionary: null, previous: { ...nothing, keyframe: hashContent(base).toString("hex") } },
          },
        ],
        [],
      ),
    ),
  );
  await db.query("UPDATE content SET stored = true WHERE hash = decode($1, 'hex')", [hash]);
  const [row] = await db.query<{ base: Buffer }>(
    "SELECT base_hash AS base FROM content WHERE hash = decode($1, 'hex')",
    [hash],
  );
  expect([hashContent(one), hashContent(other)].some((base) => row?.base.equals(base))).toBe(true);
  // a content that the row is not based on may be removed at any time
  await db.query(
    "INSERT INTO test_snapshot (test_instance_id, number, state, content_hash) VALUES ($1, 1, 'done', decode($2, 'hex'))",
    [instanceIds[0], hash],
  );
  await age();
  await collect();
  expect(await db.query("SELECT hash FROM content")).toHaveLength(2);
  expect((await freshStore().read(hashContent(shared))).equals(shared)).toBe(true);
});
