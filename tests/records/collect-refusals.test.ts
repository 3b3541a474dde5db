import { createHash, randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { type Database, openDatabase } from "@web-tester/platform/database/database";
import { forgetOldAssets } from "@web-tester/records/assets/forget-assets";
import { claimAsset } from "@web-tester/records/assets/claim-assets";
import { recordAsset } from "@web-tester/records/assets/record-assets";
import { markLost } from "@web-tester/records/contents/stored-contents";
import { touchContent } from "@web-tester/records/contents/touch-contents";
import { hashContent, openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { createLossCheck } from "@web-tester/records/contents/check-losses";
import { collectStrays, collectUnused } from "@web-tester/records/contents/collect-contents";
import { recordLosses } from "@web-tester/records/contents/record-losses";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** No row ever claims that bytes are stored when they are not, even if a collector is refused, cut off or overtaken by a writer at any point. */
const signal = new AbortController().signal;
const graceMs = 3_600_000;

let own: OwnDatabase;
let db: Database;
let store: ObjectStore;

beforeAll(async () => {
  own = await startDatabase(6);
  db = own.db;
  store = openObjectStore(own.storageUrl);
});
afterAll(() => own.stop());
beforeEach(async () => {
  await db.query("TRUNCATE content, content_removal, test_object CASCADE");
  for await (const { hash } of store.list()) await store.delete(hash);
});

/** Stores contents that nothing refers to. @returns them in order of hash */
async function unused(count: number): Promise<{ hash: Buffer; bytes: Buffer }[]> {
  const contents = Array.from({ length: count }, () => randomBytes(300)).map((bytes) => ({
    hash: hashContent(bytes),
    bytes,
  }));
  for (const { hash, bytes } of contents) {
    await store.write(hash, bytes);
    await db.query(
      "INSERT INTO content (hash, size, stored, stored_size, touched_at) VALUES ($1, 300, true, 300, now() - interval '2 hours')",
      [hash],
    );
  }
  return contents.toSorted((a, b) => a.hash.compare(b.hash));
}

/** Lists the hashes of rows that claim that bytes are stored when they are not. */
async function lies(): Promise<string[]> {
  const rows = await db.query<{ hash: Buffer }>("SELECT hash FROM content WHERE stored");
  const known = await Promise.all(
    rows.map(async ({ hash }) => ((await store.has(hash)) ? [] : [hash.toString("hex")])),
  );
  return known.flat();
}

const leasesEnd = () => db.query("UPDATE content_removal SET lease_until = now() - interval '1 s'");
const refusing = (refused: Buffer): Pick<ObjectStore, "delete" | "list"> => ({
  ...store,
  delete: (hash) => (hash.equals(refused) ? Promise.reject(new Error("AccessDenied")) : store.delete(hash)),
});

test("one object that cannot be deleted stops none of the others, is told once, and goes when it can", async () => {
  const contents = await unused(5);
  const held = contents[2]?.hash ?? Buffer.alloc(32);
  const told: string[] = [];
  const collection = { db, store: refusing(held), graceMs, signal, onRefused: (message: string) => told.push(message) };
  expect(await collectUnused(collection)).toBe(4);
  expect(await lies()).toEqual([]);
  await leasesEnd();
  expect(await collectUnused(collection)).toBe(0);
  expect(told).toEqual([expect.stringContaining(held.toString("hex"))]);
  expect(await store.has(held)).toBe(true);
  await leasesEnd();
  expect(await collectUnused({ ...collection, store })).toBe(1);
  expect(await store.usage()).toEqual({ bytes: 0 });
  expect(await db.query("SELECT 1 FROM content_removal UNION ALL SELECT 1 FROM content")).toEqual([]);
});

test("a page that returns to bytes whose removal failed has them stored anew", async () => {
  const [one, two] = await unused(2);
  if (one === undefined || two === undefined) throw new Error("there are two");
  // the second delete is refused after the first one's bytes are gone
  const deleted: string[] = [];
  const failing: Pick<ObjectStore, "delete" | "list"> = {
    ...store,
    delete: async (hash) => {
      if (hash.equals(two.hash)) throw new Error("AccessDenied");
      await store.delete(hash);
      deleted.push(hash.toString("hex"));
    },
  };
  await collectUnused({ db, store: failing, graceMs, signal }).catch(() => 0);
  expect(deleted).toEqual([one.hash.toString("hex")]);
  await leasesEnd();
  for (const { hash, bytes } of [one, two]) {
    const hex = hash.toString("hex");
    expect(await touchContent(db, new Map([[hex, bytes.length]]))).toEqual(new Set([hex]));
    await store.write(hash, bytes);
  }
  await db.query("UPDATE content SET stored = true");
  // the noted removals of both are void: a writer has announced their bytes
  expect(await collectUnused({ db, store, graceMs, signal })).toBe(0);
  expect(await lies()).toEqual([]);
});

test("cut off after any number of deletes, no row says what is not, and the rest is done the next time", async () => {
  for (let cut = 0; cut <= 4; cut++) {
    await unused(4);
    // the connection breaks, and with it the transaction that holds the contents: deleted bytes are gone, noted removals stay
    let deletes = 0;
    const cutting = openDatabase(own.url, 1, () => undefined);
    const breaking: Pick<ObjectStore, "delete" | "list"> = {
      ...store,
      delete: async (hash) => {
        if (deletes++ < cut) return store.delete(hash);
        await db.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'",
        );
        throw new Error("cut off");
      },
    };
    const collected = await collectUnused({ db: cutting, store: breaking, graceMs, signal }).catch(() => -1);
    expect(collected).toBe(cut === 4 ? 4 : -1);
    await cutting.close();
    expect(await lies()).toEqual([]);
    await leasesEnd();
    expect(await collectUnused({ db, store, graceMs, signal })).toBe(cut === 4 ? 0 : 4);
    expect(await store.usage()).toEqual({ bytes: 0 });
  }
});

test("who announces bytes whose collector lost its connection waits until that one's last request has come", async () => {
  const [content] = await unused(1);
  if (content === undefined) throw new Error("there is one");
  const hex = content.hash.toString("hex");
  let arrive = () => {};
  const onItsWay = new Promise<void>((resolve) => (arrive = resolve));
  let began = () => {};
  const begun = new Promise<void>((resolve) => (began = resolve));
  const slow: Pick<ObjectStore, "delete" | "list"> = {
    ...store,
    delete: async (hash) => {
      began();
      await onItsWay;
      await store.delete(hash);
    },
  };
  const cutting = openDatabase(own.url, 1, () => undefined);
  const collecting = collectUnused({ db: cutting, store: slow, graceMs, signal }).catch(() => -1);
  await begun;
  await db.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'",
  );
  // the lease ends after the request has come, as in production, where it is longer than any request takes
  await db.query("UPDATE content_removal SET lease_until = now() + interval '2 seconds'");
  let wrote = false;
  const writing = (async () => {
    const missing = await touchContent(db, new Map([[hex, content.bytes.length]]));
    wrote = true;
    expect(missing).toEqual(new Set([hex]));
    await store.write(content.hash, content.bytes);
    await db.query("UPDATE content SET stored = true WHERE hash = $1", [content.hash]);
  })();
  await db.query("SELECT 1");
  expect(wrote).toBe(false);
  arrive();
  expect(await collecting).toBe(-1);
  await writing;
  await cutting.close();
  expect(await lies()).toEqual([]);
  expect(await store.has(content.hash)).toBe(true);
});

test("bytes that cannot be removed do not keep the walk over strays from the others", async () => {
  const strays = await unused(3);
  await db.query("DELETE FROM content");
  const held = strays[0]?.hash ?? Buffer.alloc(32);
  expect(await collectStrays({ db, store: refusing(held), graceMs: -1_000, signal })).toBe(2);
  await leasesEnd();
  expect(await collectStrays({ db, store, graceMs: -1_000, signal })).toBe(1);
});

test("a transaction that may be repeated counts once: one that asks something else is never repeated", async () => {
  let runs = 0;
  const conflict = Object.assign(new Error("deadlock detected"), { code: "40P01" });
  const work = async () => {
    runs += 1;
    if (runs < 3) throw conflict;
    return runs;
  };
  expect(await db.transaction(work)).toBe(3);
  runs = 0;
  await expect(db.transaction(work, { once: true })).rejects.toBe(conflict);
  expect(runs).toBe(1);
});

test("content that was lost is stored again as soon as it reads whole, for whoever reads it and for the collector's round", async () => {
  const [one, two, three] = await unused(3);
  if (one === undefined || two === undefined || three === undefined) throw new Error("there are three");
  const isStored = async (hash: Buffer) =>
    (await db.query<{ stored: boolean }>("SELECT stored FROM content WHERE hash = $1", [hash]))[0]?.stored;
  const reader = recordLosses(db, store, () => undefined);
  await store.delete(one.hash);
  await expect(reader.read(one.hash)).rejects.toThrow("is missing");
  expect(await isStored(one.hash)).toBe(false);
  await store.write(one.hash, one.bytes);
  await reader.read(one.hash);
  expect(await isStored(one.hash)).toBe(true);

  // another process has found both lost; the bytes of `two` are there again, those of `three` are not
  for (const { hash } of [two, three]) await markLost(db, hash.toString("hex"));
  await store.delete(three.hash);
  const round = createLossCheck({ db, store, signal, limit: 1 });
  expect([await round(), await round(), await round(), await round()].reduce((sum, n) => sum + n)).toBe(1);
  expect([await isStored(two.hash), await isStored(three.hash)]).toEqual([true, false]);
  expect(await lies()).toEqual([]);
});

test("addresses that are new every time do not stay; what a site needs is still asked for conditionally", async () => {
  const [object] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ('A site', 'http://a.example/') RETURNING id",
  );
  const objectId = object?.id ?? "";
  const [content] = await unused(1);
  const round = () => createHash("md5").update(randomBytes(8)).digest("hex");
  const meet = async (url: string): Promise<string | null> => {
    const id = round();
    const claim = await claimAsset(db, { objectId, url, round: id, leaseMs: 1_000 });
    if (claim.state !== "claimed") throw new Error(claim.state);
    await recordAsset(db, objectId, id, {
      ...{ url, baseUrl: null, size: 300, contentType: "text/css", extension: ".css", error: null },
      ...{ hash: content?.hash.toString("hex") ?? "", storedSize: 300, etag: '"1"', lastModified: null },
    });
    return claim.earlier?.etag ?? null;
  };
  for (let run = 0; run < 30; run++) {
    await meet("http://a.example/a.css");
    await meet(`http://a.example/b.css?t=${run}`);
    await db.query("UPDATE site_asset SET seen_at = seen_at - interval '1 day'");
    // a file may be a month older than the newest file of its site, however old that is
    await forgetOldAssets(db, signal, 3);
  }
  const rows = await db.query<{ url: string }>("SELECT url FROM site_asset");
  expect(rows.length).toBeLessThanOrEqual(18);
  expect(await meet("http://a.example/a.css")).toBe('"1"');
  // a site that is fetched every three months loses nothing between two fetches
  await forgetOldAssets(db, signal);
  await db.query("UPDATE site_asset SET seen_at = seen_at - interval '90 days'");
  const before = (await db.query("SELECT 1 FROM site_asset")).length;
  expect(await forgetOldAssets(db, signal)).toBe(0);
  expect((await db.query("SELECT 1 FROM site_asset")).length).toBe(before);
});
