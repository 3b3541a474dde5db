import { randomBytes } from "node:crypto";
import { truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { objectKey } from "@web-tester/platform/object-store/content-hash";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { hashContent, openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { collectStrays, startCollector } from "@web-tester/records/contents/collect-contents";
import { createLossSearch } from "@web-tester/records/contents/find-losses";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { until } from "../support/until.js";

/** Bytes that nobody reads are missed all the same: the daily walk through the store compares it with the rows. */
const graceMs = 3_600_000;
let own: OwnDatabase;
let store: ObjectStore;

beforeAll(async () => {
  own = await startDatabase(4);
  store = openObjectStore(own.storageUrl);
});
afterAll(() => own.stop());
beforeEach(async () => {
  await own.db.query("TRUNCATE content, content_removal, test_object CASCADE");
  for await (const { hash } of store.list()) await store.delete(hash);
});

/** Stores a content that was announced two hours ago. */
async function kept(bytes = randomBytes(300), keyframe: Buffer | null = null): Promise<Buffer> {
  const hash = hashContent(bytes);
  const packed = await store.pack(bytes, { keyframe, dictionary: null });
  const { storedSize } = await store.writePacked(hash, packed);
  await own.db.query(
    `INSERT INTO content (hash, size, stored, stored_size, base_hash, depth, touched_at)
     VALUES ($1, $2, true, $3, $4, $5, now() - interval '2 hours')`,
    [hash, bytes.length, storedSize, packed.base, packed.depth],
  );
  return hash;
}

/** Walks the store as the collector does. @returns how many contents were found lost, and which were read */
async function walk(limit = 5_000): Promise<{ lost: number; read: Buffer[] }> {
  const read: Buffer[] = [];
  const reading = (hash: Buffer) => store.read((read.push(hash), hash));
  const { signal } = new AbortController();
  const search = createLossSearch({ db: own.db, store: { read: reading }, graceMs, signal, limit });
  let lost = 0;
  const end = async () => (lost = await search.end());
  expect(await collectStrays({ db: own.db, store, graceMs, signal }, { listed: search.listed, end })).toBe(0);
  return { lost, read };
}

const marked = async () =>
  (await own.db.query<{ hash: Buffer }>("SELECT hash FROM content WHERE NOT stored ORDER BY hash")).map(
    ({ hash }) => hash,
  );
const sorted = (hashes: Buffer[]) => hashes.toSorted((a, b) => a.compare(b));

test("what is missing or cut off is marked as lost, and nothing else is read", async () => {
  const whole = await Promise.all(Array.from({ length: 40 }, () => kept()));
  const [gone, cut] = [await kept(), await kept()];
  await store.delete(gone);
  await truncate(join(new URL(own.storageUrl).pathname, objectKey(cut)), 0);
  expect(await walk()).toEqual({ lost: 2, read: expect.arrayContaining([gone, cut]) });
  expect(await marked()).toEqual(sorted([gone, cut]));
  expect(await walk()).toEqual({ lost: 0, read: [] });
  for (const hash of whole) expect(await store.has(hash)).toBe(true);
});

test("an emptied store is found out in several walks, each of which ends", async () => {
  const all = await Promise.all(Array.from({ length: 12 }, () => kept()));
  for (const hash of all) await store.delete(hash);
  expect((await walk(10)).lost).toBe(10);
  expect((await walk(10)).lost).toBe(2);
  expect(await marked()).toEqual(sorted(all));
});

test("what is stored as a difference from a lost page is lost with it", async () => {
  const page = (title: string) => Buffer.from(`<title>${title}</title>${randomText}`);
  const randomText = randomBytes(3_000).toString("hex");
  const keyframe = await kept(page("first"));
  const version = await kept(page("second"), keyframe);
  await store.delete(keyframe);
  expect((await walk()).lost).toBe(2);
  expect(await marked()).toEqual(sorted([keyframe, version]));
});

test("what was written since it was listed is not taken for lost; another length of whole bytes is corrected", async () => {
  const [announced, other] = [await kept(), await kept()];
  await store.delete(announced);
  await own.db.query("UPDATE content SET touched_at = now() WHERE hash = $1", [announced]);
  await own.db.query("UPDATE content SET stored_size = 7 WHERE hash = $1", [other]);
  expect(await walk()).toEqual({ lost: 0, read: [other] });
  expect(await walk()).toEqual({ lost: 0, read: [] });
  expect(await marked()).toEqual([]);
});

test("the collector walks, and says how many it has found", async () => {
  const gone = await kept();
  await own.db.query(
    "INSERT INTO test_object (id, name, url, dictionary_hash) VALUES (gen_random_uuid(), 'site', 'http://site.test/', $1)",
    [gone],
  );
  await store.delete(gone);
  const told: string[] = [];
  const onError = (message: string, error: unknown) => told.push(`${message}: ${String(error)}`);
  const often = { everyMs: 20, straysEvery: 1, onCollected: (message: string) => told.push(message), onError };
  const stop = startCollector({ db: own.db, store, graceMs, ...often });
  try {
    await until("a mark", async () => (await marked()).length === 1);
  } finally {
    await stop();
  }
  expect(told).toEqual([
    expect.stringMatching(/^1 contents are missing or damaged in the object store: the next fetch/),
  ]);
});
