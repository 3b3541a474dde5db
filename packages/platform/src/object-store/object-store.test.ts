import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { createBucketDriver } from "./bucket-driver.js";
import { wrap } from "./envelope.js";
import { createFolderDriver } from "./folder-driver.js";
import { objectKey } from "./content-hash.js";
import type { ListedObject, ObjectStore } from "./object-store.js";
import { createObjectStore, hashContent, openObjectStore } from "./open-object-store.js";
import { parseStorageUrl } from "./storage-url.js";
import { accessKey, bucketUrl, driverAt, places, startPlaces, stopPlaces } from "./test-places.js";

const lookalike = await wrap(Buffer.from("a".repeat(1_000)));

let scratch: string;

beforeAll(async () => {
  ({ scratch } = await startPlaces([
    "round-trip",
    "missing",
    "damaged",
    "exchanged",
    "too-long",
    "together",
    "listed",
    "deleted",
    "injected",
    "ready",
  ]));
}, 30_000);

afterAll(stopPlaces);

describe.each(places)("object store in a $place", ({ url, credentials }) => {
  const open = (name: string) => openObjectStore(url(name), credentials);
  const driverOf = (name: string) => driverAt(url(name), credentials);

  test.each([
    ["nothing", Buffer.alloc(0)],
    ["1 byte", Buffer.of(0)],
    ["text", Buffer.from("<p>Grüße</p>".repeat(500))],
    ["bytes that look like a stored object", lookalike],
    ["1 MB of noise", randomBytes(1_000_000)],
    ["10 MB of zeros", Buffer.alloc(10_000_000)],
  ])("gives back %s", async (_name, content) => {
    const store = open("round-trip");
    const hash = hashContent(content);
    const { size, storedSize } = await store.write(hash, content);
    expect(size).toBe(content.length);
    expect(storedSize).toBeLessThanOrEqual(content.length + 8);
    expect((await store.read(hash)).equals(content)).toBe(true);
    expect(await store.has(hash)).toBe(true);
    store.close();
  });

  test("shortens what can be shortened", async () => {
    const content = Buffer.alloc(10_000_000);
    expect((await open("round-trip").write(hashContent(content), content)).storedSize).toBeLessThan(2_000);
  });

  test("says which content is missing", async () => {
    const hash = hashContent(Buffer.from("never written"));
    const store = open("missing");
    expect(await store.has(hash)).toBe(false);
    await expect(store.read(hash)).rejects.toMatchObject({
      code: "content_missing",
      retryable: false,
      message: expect.stringContaining(hash.toString("hex")),
    });
  });

  test.each([
    ["one changed bit", (stored: Buffer) => flip(stored, stored.length - 3)],
    ["a cut-off end", (stored: Buffer) => stored.subarray(0, stored.length - 5)],
    ["an empty object", () => Buffer.alloc(0)],
    ["another start", (stored: Buffer) => flip(stored, 0)],
    ["an unknown version", (stored: Buffer) => flip(stored, 3, 0x40)],
    ["a wrong length", (stored: Buffer) => flip(stored, 7)],
    [
      "a length of 4 GB",
      (stored: Buffer) => Buffer.concat([stored.subarray(0, 4), Buffer.alloc(4, 0xff), stored.subarray(8)]),
    ],
  ])("refuses content damaged by %s", async (_name, harm) => {
    for (const content of [Buffer.from("compressible ".repeat(100)), randomBytes(500)]) {
      const store = open("damaged");
      const hash = hashContent(content);
      await store.write(hash, content);
      const driver = driverOf("damaged");
      const stored = await driver.get(objectKey(hash), 1_000_000);
      if (stored === null) throw new Error("not where the driver looks");
      await driver.put(objectKey(hash), harm(stored));
      await expect(store.read(hash)).rejects.toMatchObject({
        code: "content_damaged",
        message: expect.stringContaining(hash.toString("hex")),
      });
      await store.write(hash, content);
      expect((await store.read(hash)).equals(content)).toBe(true);
    }
  });

  test("refuses a sound object under the hash of another one, which a place alone gives out", async () => {
    const hash = hashContent(Buffer.from("what was asked for"));
    const other = await wrap(Buffer.from("something else"));
    const driver = driverOf("exchanged");
    await driver.put(objectKey(hash), other);
    expect((await driver.get(objectKey(hash), 1_000))?.equals(other)).toBe(true);
    await expect(open("exchanged").read(hash)).rejects.toMatchObject({ code: "content_damaged" });
  });

  test("does not read an object longer than asked for", async () => {
    const driver = driverOf("too-long");
    const key = objectKey(hashContent(Buffer.from("long")));
    await driver.put(key, Buffer.alloc(1_001));
    await expect(driver.get(key, 1_000)).rejects.toMatchObject({ code: "content_damaged" });
    expect(await driver.get(key, 1_001)).toHaveLength(1_001);
  });

  test("keeps one whole object when many write the same content at once", async () => {
    const content = Buffer.from("the same page ".repeat(5_000));
    const hash = hashContent(content);
    const stores = [open("together"), open("together")];
    await Promise.all(Array.from({ length: 20 }, (_, index) => stores[index % 2]?.write(hash, content)));
    expect((await open("together").read(hash)).equals(content)).toBe(true);
    expect(await all(open("together"))).toHaveLength(1);
  });

  test("lists what is there, with sizes and times, and nothing else", async () => {
    const store = open("listed");
    expect(await all(store)).toEqual([]);
    expect(await store.usage()).toEqual({ bytes: 0 });
    const written = new Map<string, number>();
    for (let index = 0; index < 30; index++) {
      const content = Buffer.from(`page ${index} `.repeat(index));
      const { storedSize } = await store.write(hashContent(content), content);
      written.set(hashContent(content).toString("hex"), storedSize);
    }
    await driverOf("listed").put("ab/not-a-hash", Buffer.from("x"));
    const listed = await all(store);
    expect(new Map(listed.map(({ hash, storedSize }) => [hash.toString("hex"), storedSize]))).toEqual(written);
    for (const { modifiedAt } of listed) expect(Math.abs(Date.now() - modifiedAt.getTime())).toBeLessThan(60_000);
    expect(await store.usage()).toEqual({ bytes: [...written.values()].reduce((sum, size) => sum + size, 0) });
  });

  test("deletes, and deletes again", async () => {
    const store = open("deleted");
    const content = Buffer.from("gone soon");
    const hash = hashContent(content);
    await store.write(hash, content);
    await store.delete(hash);
    await store.delete(hash);
    expect(await store.has(hash)).toBe(false);
    expect(await all(store)).toEqual([]);
  });

  test.each([
    ["a path", Buffer.from("../../../../etc/passwd/aaaaaaaaa")],
    ["31 bytes", Buffer.alloc(31)],
    ["33 bytes", Buffer.alloc(33)],
    ["nothing", Buffer.alloc(0)],
  ])("makes no key but hexadecimal digits out of %s", async (_name, hash) => {
    const store = open("injected");
    const content = Buffer.from("x");
    if (hash.length === 32) {
      await store.write(hash, content);
      expect((await all(store)).map((object) => object.hash.toString("hex"))).toEqual([hash.toString("hex")]);
      return;
    }
    await expect(store.write(hash, content)).rejects.toMatchObject({ code: "invalid_input" });
    await expect(store.read(hash)).rejects.toMatchObject({ code: "invalid_input" });
    await expect(store.has(hash)).rejects.toMatchObject({ code: "invalid_input" });
    await expect(store.delete(hash)).rejects.toMatchObject({ code: "invalid_input" });
  });

  test("refuses content that no read would give back", async () => {
    const content = Buffer.alloc(100 * 1024 * 1024 + 1);
    await expect(open("too-large").write(Buffer.alloc(32), content)).rejects.toMatchObject({ code: "too_large" });
  });

  test("is ready", async () => {
    await expect(open("ready").check()).resolves.toBeUndefined();
  });
});

describe("object store in a bucket", () => {
  const unusable: [string, () => Promise<ObjectStore>, string][] = [
    [
      "the server is not there",
      async () => openObjectStore(`s3://objects?endpoint=http://127.0.0.1:${await freePort()}`, accessKey),
      "the server cannot be reached",
    ],
    [
      "the key is unknown",
      async () => openObjectStore(bucketUrl(), { ...accessKey, accessKeyId: "nobody" }),
      "AWS_ACCESS_KEY_ID",
    ],
  ];

  test.each(unusable)(
    "says what to do when %s",
    async (_name, open, words) => {
      const store = await open();
      for (const call of everyCall(store)) {
        await expect(call()).rejects.toMatchObject({
          code: "unavailable",
          retryable: true,
          message: expect.stringContaining(words),
        });
      }
      store.close();
    },
    30_000,
  );

  test("says what to do when the bucket is not there", async () => {
    const store = openObjectStore(bucketUrl("no-such-bucket"), accessKey);
    const content = Buffer.from("x");
    await expect(store.check()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("there is no such bucket"),
    });
    await expect(store.write(hashContent(content), content)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("there is no such bucket"),
    });
    await expect(store.read(hashContent(content))).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("there is no such bucket"),
    });
  });

  test("stores the same bytes as a folder, so that one can be copied into the other", async () => {
    const content = Buffer.from("portable ".repeat(100));
    const hash = hashContent(content);
    await openObjectStore(bucketUrl("objects", "/portable"), accessKey).write(hash, content);
    await openObjectStore(`file:${join(scratch, "portable")}`).write(hash, content);
    const location = parseStorageUrl(bucketUrl("objects", "/portable"));
    if (location.kind !== "bucket") throw new Error("not a bucket");
    const stored = await createBucketDriver(location, accessKey).get(objectKey(hash), 10_000);
    expect(stored?.equals(await readFile(join(scratch, "portable", objectKey(hash))))).toBe(true);
  });
});

test("a place that fails in an unexpected way is not mistaken for damaged content", async () => {
  const broken = createFolderDriver({ kind: "folder", path: join(scratch, "broken"), fsync: false });
  const store = createObjectStore({ ...broken, get: () => Promise.reject(new AppError("unavailable", "No.")) });
  await expect(store.read(Buffer.alloc(32))).rejects.toMatchObject({ code: "unavailable" });
});

test("a store that refuses to be written is told until a write goes through", async () => {
  const full = createFolderDriver({ kind: "folder", path: join(scratch, "full"), fsync: false });
  let isFull = true;
  const put: typeof full.put = (...asked) =>
    isFull ? Promise.reject(new AppError("unavailable", "The disk is full.")) : full.put(...asked);
  const store = createObjectStore({ ...full, put });
  const write = () => store.write(hashContent(Buffer.from("x")), Buffer.from("x"));
  expect(store.writeProblem()).toBeNull();
  await expect(write()).rejects.toThrow("The disk is full.");
  // it can be read all the same
  await expect(store.check()).resolves.toBeUndefined();
  expect(store.writeProblem()).toBe("The disk is full.");
  isFull = false;
  await write();
  expect(store.writeProblem()).toBeNull();
});

test("an object that is longer than any may be is damaged content: it is named, and nothing rests on it", async () => {
  const grown = createFolderDriver({ kind: "folder", path: join(scratch, "grown"), fsync: false });
  const hash = hashContent(Buffer.from("what was there"));
  // a driver refuses to read more bytes than it was asked for
  const get = () => Promise.reject(new AppError("content_damaged", "It has too many bytes."));
  const store = createObjectStore({ ...grown, get });
  await expect(store.read(hash)).rejects.toMatchObject({ code: "content_damaged", hash });
  const bytes = Buffer.from("<p>A page</p>".repeat(100));
  expect(await store.pack(bytes, { keyframe: hash, dictionary: hash })).toMatchObject({ base: null });
});

async function all(store: ObjectStore): Promise<ListedObject[]> {
  const listed: ListedObject[] = [];
  for await (const object of store.list()) listed.push(object);
  return listed;
}

function everyCall(store: ObjectStore): (() => Promise<unknown>)[] {
  const content = Buffer.from("x");
  const hash = hashContent(content);
  return [
    () => store.check(),
    () => store.write(hash, content),
    () => store.read(hash),
    () => store.has(hash),
    () => store.delete(hash),
    () => all(store),
    () => store.usage(),
  ];
}

function flip(bytes: Buffer, index: number, bit = 1): Buffer {
  const changed = Buffer.from(bytes);
  changed[index] = (changed[index] ?? 0) ^ bit;
  return changed;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

test("one wrong answer of a place is no loss, two are", async () => {
  const place = createFolderDriver({ kind: "folder", path: join(scratch, "once"), fsync: false });
  const bytes = Buffer.from("a page ".repeat(100));
  const hash = hashContent(bytes);
  let wrong = 0;
  const get: typeof place.get = async (key, limit) => {
    const stored = await place.get(key, limit);
    return (wrong -= 1) >= 0 ? (stored?.subarray(0, -3) ?? null) : stored;
  };
  const store = createObjectStore({ ...place, get });
  await store.write(hash, bytes);
  wrong = 1;
  expect(await store.read(hash)).toEqual(bytes);
  wrong = 2;
  await expect(store.read(hash)).rejects.toMatchObject({ code: "content_damaged" });
});
