import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { markerKey } from "./bucket-presence.js";
import { objectKey } from "./content-hash.js";
import type { ObjectDriver } from "./object-driver.js";
import type { ObjectStore } from "./object-store.js";
import { hashContent, openObjectStore } from "./open-object-store.js";
import { accessKey, bucketUrl, driverAt, startPlaces, stopPlaces } from "./test-places.js";

beforeAll(() => startPlaces(["whole"]), 30_000);
afterAll(stopPlaces);

const content = Buffer.from("kept");
const hash = hashContent(content);
const key = objectKey(hash);
const url = (name: string) => bucketUrl("objects", `/${name}`);

function open(address: string, hasContents?: boolean): ObjectStore {
  const store = openObjectStore(address, accessKey);
  if (hasContents !== undefined) store.mayBeAway(hasContents);
  return store;
}

/** Calls that all say whether the store is there. */
const everyCall = (store: ObjectStore): (() => Promise<unknown>)[] => [
  () => store.read(hash),
  () => store.write(hash, content),
  () => store.has(hash),
  () => store.delete(hash),
  () => store.usage(),
  () => store.check(),
];

async function expectAbsent(store: ObjectStore): Promise<void> {
  for (const call of everyCall(store))
    await expect(call()).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
      message: expect.stringContaining("The object store is not there"),
    });
}

async function keysIn(driver: ObjectDriver): Promise<string[]> {
  const keys: string[] = [];
  for await (const file of driver.list()) keys.push(file.key);
  return keys.toSorted();
}

/** Moves the objects of a store away; the marker goes too, as it does when somebody empties the bucket. */
async function empty(driver: ObjectDriver): Promise<void> {
  for (const each of [...(await keysIn(driver)), markerKey]) await driver.delete(each);
}

test.each(["has written", "was told that something is kept there"])(
  "an emptied bucket is not the store, for who %s",
  async (knows) => {
    const address = url(knows.replaceAll(" ", "-"));
    const bucket = driverAt(address, accessKey);
    const before = open(address, false);
    await before.write(hash, content);
    const stored = await bucket.get(key, 1_000);
    const store = knows === "has written" ? before : open(address, true);
    await empty(bucket);
    await expectAbsent(store);
    expect(await keysIn(bucket)).toEqual([]);
    expect(await bucket.has(markerKey)).toBe(false);
    await bucket.put(markerKey, Buffer.from("back"));
    await bucket.put(key, stored ?? Buffer.alloc(0));
    await store.check();
    expect(await store.read(hash)).toEqual(content);
  },
);

test("a wrong prefix is not the store, whatever else the bucket holds", async () => {
  await open(url("right"), false).write(hash, content);
  const whole = driverAt(bucketUrl("whole"), accessKey);
  await whole.put("de/index.html", Buffer.from("a folder named like one of a store"));
  await whole.put("right/store", Buffer.from("a store below"));
  await expectAbsent(open(url("wrong"), true));
  await expectAbsent(open(bucketUrl("whole"), true));
  expect(await open(url("right"), true).read(hash)).toEqual(content);
});

test.each([
  ["with a prefix", () => url("older")],
  ["without prefix", () => bucketUrl("whole")],
])("a store of an earlier version is recognized by its objects, and marked (%s)", async (_place, addressOf) => {
  const address = addressOf();
  const bucket = driverAt(address, accessKey);
  await open(address).write(hash, content);
  expect(await bucket.has(markerKey)).toBe(false);
  const other = hashContent(Buffer.from("never written"));
  const store = open(address, true);
  await expect(store.read(other)).rejects.toMatchObject({ code: "content_missing" });
  await store.check();
  expect(await bucket.has(markerKey)).toBe(true);
  await store.delete(hash);
  const later = open(address, true);
  await expect(later.read(hash)).rejects.toMatchObject({ code: "content_missing" });
  await later.write(hash, content);
  expect(await later.read(hash)).toEqual(content);
});

test("what is written while somebody empties the bucket makes no store of it for who knew the marker", async () => {
  const address = url("half-emptied");
  const bucket = driverAt(address, accessKey);
  const store = open(address, false);
  await store.write(hash, content);
  await bucket.delete(markerKey);
  await expect(store.read(hashContent(Buffer.from("gone")))).rejects.toMatchObject({ code: "unavailable" });
  await expectAbsentWrites(store);
});

test("an empty bucket begins a store where no row names contents", async () => {
  const address = url("new");
  const store = open(address, false);
  await store.check();
  await expect(store.read(hash)).rejects.toMatchObject({ code: "content_missing" });
  expect(await store.usage()).toEqual({ bytes: 0 });
  await store.write(hash, content);
  await store.delete(hash);
  await expect(open(address, true).read(hash)).rejects.toMatchObject({ code: "content_missing" });
});

test("a store whose contents are lost for good is begun anew by a marker that somebody writes", async () => {
  const address = url("begun-anew");
  const store = open(address, true);
  await expectAbsent(store);
  await driverAt(address, accessKey).put(markerKey, Buffer.alloc(0));
  await expect(store.read(hash)).rejects.toMatchObject({ code: "content_missing" });
  await store.write(hash, content);
  expect(await store.read(hash)).toEqual(content);
});

async function expectAbsentWrites(store: ObjectStore): Promise<void> {
  await expect(store.write(hash, content)).rejects.toMatchObject({ code: "unavailable" });
  await expect(store.delete(hash)).rejects.toMatchObject({ code: "unavailable" });
}
