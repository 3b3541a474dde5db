import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { installationOf, markerKey, markMaxBytes, markOf } from "./bucket-presence.js";
import { objectKey } from "./content-hash.js";
import type { Installation, ObjectStore } from "./object-store.js";
import { hashContent, openObjectStore } from "./open-object-store.js";
import { accessKey, bucketUrl, driverAt, startPlaces, stopPlaces } from "./test-places.js";

/** A bucket belongs to one installation. */
beforeAll(() => startPlaces([]), 30_000);
afterAll(stopPlaces);

const content = Buffer.from("kept");
const hash = hashContent(content);
const [mine, other] = ["01990000-0000-7000-8000-000000000001", "01990000-0000-7000-8000-000000000002"];
const url = (name: string) => bucketUrl("objects", `/${name}`);

/** Opens the store as an installation does at its start. `noted`: what its database remembers. */
function open(address: string, id: string, { hasContents = false, hasMarked = false } = {}) {
  const noted = { hasMarked };
  const installation: Installation = {
    ...{ id, hasMarked },
    noteMarked: () => Promise.resolve(void (noted.hasMarked = true)),
  };
  const store = openObjectStore(address, accessKey);
  store.belongsTo(installation);
  store.mayBeAway(hasContents);
  return { store, noted };
}

const bucketAt = (address: string) => driverAt(address, accessKey);
const markAt = async (address: string) => {
  const mark = await bucketAt(address).get(markerKey, markMaxBytes);
  return mark === null ? null : (installationOf(mark) ?? "nobody's");
};

async function expectAway(store: ObjectStore, words: RegExp): Promise<void> {
  for (const call of [
    () => store.check(),
    () => store.write(hash, content),
    () => store.delete(hash),
    () => store.read(hashContent(Buffer.from("never written"))),
    () => store.usage(),
  ])
    await expect(call()).rejects.toMatchObject({ code: "unavailable", message: expect.stringMatching(words) });
}

test("a bucket of another installation is not the store, and stays as it is, until an operator hands it over", async () => {
  const address = url("of-another");
  await open(address, other).store.write(hash, content);
  for (const known of [{}, { hasContents: true }, { hasContents: true, hasMarked: true }]) {
    const { store, noted } = open(address, mine, known);
    await expectAway(
      store,
      /not there: .*objects\/of-another at .* is the store of another installation.*replace the object store there by an empty one/,
    );
    expect(noted.hasMarked).toBe(known.hasMarked ?? false);
  }
  expect(await markAt(address)).toBe(other);
  expect(await bucketAt(address).has(objectKey(hash))).toBe(true);

  const { store, noted } = open(address, mine);
  await expectAway(store, /another installation/);
  await bucketAt(address).put(markerKey, Buffer.alloc(0));
  await store.check();
  expect([await markAt(address), noted.hasMarked]).toEqual([mine, true]);
  expect(await store.read(hash)).toEqual(content);
  await expectAway(open(address, other, { hasContents: true, hasMarked: true }).store, /another installation/);
});

test("a mark of an earlier version, which names nobody, becomes the mark of who uses it", async () => {
  const address = url("earlier");
  await bucketAt(address).put(markerKey, Buffer.from("Here Web Tester keeps the contents of pages.\n"));
  const { store, noted } = open(address, mine, { hasContents: true });
  await expect(store.read(hash)).rejects.toMatchObject({ code: "content_missing" });
  expect(await markAt(address)).toBe("nobody's");
  await store.check();
  expect([await markAt(address), noted.hasMarked]).toEqual([mine, true]);
  await expectAway(open(address, other).store, /another installation/);
});

test("a bucket without a mark is adopted by its objects once; who has marked it waits for the mark", async () => {
  const address = url("unmarked");
  await openObjectStore(address, accessKey).write(hash, content);
  const before = open(address, mine, { hasContents: true });
  await before.store.check();
  expect([await markAt(address), before.noted.hasMarked]).toEqual([mine, true]);
  await bucketAt(address).delete(markerKey);
  await expectAway(open(address, mine, { hasContents: true, hasMarked: true }).store, /is not marked as one/);
  // nor does it take a bucket that holds something, though it keeps nothing itself
  await expectAway(open(address, mine, { hasMarked: true }).store, /is not marked as one/);
  await bucketAt(address).put(markerKey, markOf(mine));
  expect(await open(address, mine, { hasContents: true, hasMarked: true }).store.read(hash)).toEqual(content);
});

test("an installation that keeps nothing begins anew in an empty bucket", async () => {
  const address = url("emptied");
  await open(address, mine, { hasMarked: true }).store.check();
  expect(await markAt(address)).toBe(mine);
});

test("a mark that was written just before a crash is noted at the next use", async () => {
  const address = url("crashed");
  await bucketAt(address).put(markerKey, markOf(mine));
  const { store, noted } = open(address, mine);
  await store.check();
  expect(noted.hasMarked).toBe(true);
});
