import { randomBytes } from "node:crypto";
import fs, { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, jest, test } from "@jest/globals";
import { objectKey } from "./content-hash.js";
import type { ListedObject, ObjectStore } from "./object-store.js";
import { hashContent, openObjectStore } from "./open-object-store.js";

let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "folder-driver-"));
});

afterAll(() => rm(scratch, { recursive: true, force: true }));

describe("object store in a folder", () => {
  test("shows no object when a crash leaves a draft, and removes the draft when it is old", async () => {
    const root = join(scratch, "crashed");
    const store = openObjectStore(`file:${root}`);
    await store.check();
    await writeFile(join(root, "drafts", "young"), "half an ob");
    expect(await all(store)).toEqual([]);
    await openObjectStore(`file:${root}`).check();
    expect(await readdir(join(root, "drafts"))).toEqual(["young"]);

    const twoHoursAgo = Date.now() / 1000 - 7_200;
    await utimes(join(root, "drafts", "young"), twoHoursAgo, twoHoursAgo);
    await openObjectStore(`file:${root}`).check();
    expect(await readdir(join(root, "drafts"))).toEqual([]);
  });

  test("never shows a part of an object to a reader, as writing in place does", async () => {
    const root = join(scratch, "torn");
    const store = openObjectStore(`file:${root}`);
    const content = randomBytes(4_000_000);
    const hash = hashContent(content);
    await store.write(hash, content);
    const path = join(root, objectKey(hash));
    const whole = await readFile(path);

    expect(await shortReads(path, whole.length, () => store.write(hash, content))).toBe(0);
    // The positive control: the same reader sees partial content when the file is written in place.
    let torn = 0;
    for (let attempt = 0; attempt < 200 && torn === 0; attempt++)
      torn += await shortReads(path, whole.length, () => writeFile(path, whole));
    expect(torn).toBeGreaterThan(0);
  }, 30_000);

  test("keeps what was read apart, however long the files are", async () => {
    const store = openObjectStore(`file:${join(scratch, "lengths")}`);
    const kibi = 1_024;
    // random bytes are stored as they are; the header makes a file a little longer than its content
    const lengths = [0, 1, 100, 16 * kibi - 8, 16 * kibi - 7, 16 * kibi, 20 * kibi, 64 * kibi, 256 * kibi, 300 * kibi];
    const contents = [...lengths, ...lengths.toReversed(), ...lengths].map((length) => randomBytes(length));
    const hashes = contents.map((content) => hashContent(content));
    for (const [index, content] of contents.entries()) await store.write(hashes[index] ?? Buffer.alloc(0), content);
    const read = await Promise.all(hashes.map((hash) => store.read(hash)));
    expect(read.map((content) => hashContent(content))).toEqual(hashes);
    store.close();
  });

  test("leaves no draft behind when it cannot write", async () => {
    const root = join(scratch, "blocked");
    const store = openObjectStore(`file:${root}`);
    await store.check();
    const content = Buffer.from("x");
    const hash = hashContent(content);
    await writeFile(join(root, objectKey(hash).slice(0, 2)), "a file where a folder is needed");
    await expect(store.write(hash, content)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(root),
    });
    expect(await readdir(join(root, "drafts"))).toEqual([]);
  });

  test("a file that cannot be read is that content's fault, not the store's", async () => {
    const root = join(scratch, "one-file");
    const store = openObjectStore(`file:${root}`);
    const [kept, lost] = [Buffer.from("kept"), Buffer.from("lost")];
    for (const content of [kept, lost]) await store.write(hashContent(content), content);
    const place = join(root, objectKey(hashContent(lost)));
    // root can read even unreadable files, so something else is put in the place of the file
    for (const put of [() => mkdir(place), () => symlink(place, place)]) {
      await rm(place, { recursive: true });
      await put();
      await expect(store.read(hashContent(lost))).rejects.toMatchObject({ code: "content_damaged", retryable: false });
    }
    expect(await store.read(hashContent(kept))).toEqual(kept);
    expect(await readdir(join(root, "drafts"))).toEqual([]);
  });

  test("a disk that gives nothing back is the store's fault, though it takes writes; one bad block is that content's", async () => {
    const store = openObjectStore(`file:${join(scratch, "no-reads")}`);
    const contents = Array.from({ length: 12 }, (_, index) => Buffer.from(`content ${index}`));
    for (const content of contents) await store.write(hashContent(content), content);
    const first = hashContent(contents[0] ?? Buffer.alloc(0));
    const read = fs.readSync;
    let faults = Infinity;
    const disk = jest.spyOn(fs, "readSync").mockImplementation((...asked: Parameters<typeof read>) => {
      if (faults-- > 0) throw Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });
      return read(...asked);
    });
    try {
      await expect(store.read(first)).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringContaining("the disk reports an error"),
      });
      faults = 1;
      await expect(store.read(first)).rejects.toMatchObject({ code: "content_damaged" });
    } finally {
      disk.mockRestore();
    }
    expect(await store.read(first)).toEqual(contents[0]);
  });

  test("where nothing can be written either, it is the store's fault", async () => {
    const root = join(scratch, "all-files");
    const store = openObjectStore(`file:${root}`);
    const hash = hashContent(Buffer.from("x"));
    await mkdir(join(root, objectKey(hash)), { recursive: true });
    await writeFile(join(root, "drafts"), "a file where a folder is needed");
    await expect(store.read(hash)).rejects.toMatchObject({ code: "unavailable", retryable: true });
  });

  test.each(["has written", "was told that something is kept there"])(
    "an empty folder in the place of one is not the store, for who %s",
    async (knows) => {
      const root = join(scratch, "mounted");
      const content = Buffer.from("kept");
      const before = openObjectStore(`file:${root}`);
      before.mayBeAway(false);
      await before.write(hashContent(content), content);
      const store = knows === "has written" ? before : openObjectStore(`file:${root}`);
      if (store !== before) store.mayBeAway(true);
      await rename(root, `${root}.away`);
      for (const emptied of [() => mkdir(root), () => rm(root, { recursive: true })]) {
        await emptied();
        for (const call of everyCall(store))
          await expect(call()).rejects.toMatchObject({
            code: "unavailable",
            retryable: true,
            message: expect.stringContaining("The object store is not there"),
          });
        expect(existsSync(root) ? await readdir(root) : []).toEqual([]);
      }
      await rename(`${root}.away`, root);
      await store.check();
      expect(await store.read(hashContent(content))).toEqual(content);
      await rm(root, { recursive: true });
    },
  );

  test("a store whose contents are lost for good is begun anew by a folder that somebody makes", async () => {
    const root = join(scratch, "begun-anew");
    const store = openObjectStore(`file:${root}`);
    store.mayBeAway(false);
    const content = Buffer.from("x");
    await store.write(hashContent(content), content);
    await rm(root, { recursive: true });
    await mkdir(join(root, "drafts"), { recursive: true });
    await expect(store.read(hashContent(content))).rejects.toMatchObject({ code: "content_missing" });
    await store.write(hashContent(content), content);
    expect(await store.read(hashContent(content))).toEqual(content);
  });

  test("a store on the disk of the database, which cannot be away, is begun anew when somebody empties it", async () => {
    const root = join(scratch, "emptied");
    const store = openObjectStore(`file:${root}`);
    const content = Buffer.from("x");
    await store.write(hashContent(content), content);
    await rm(root, { recursive: true });
    await expect(store.read(hashContent(content))).rejects.toMatchObject({ code: "content_missing" });
    await store.write(hashContent(content), content);
    expect(await store.read(hashContent(content))).toEqual(content);
  });

  test("says what to do when the folder is none", async () => {
    const path = join(scratch, "a-file");
    await writeFile(path, "");
    const store = openObjectStore(`file:${path}/objects`);
    for (const call of everyCall(store)) {
      await expect(call()).rejects.toMatchObject({
        code: "unavailable",
        retryable: true,
        message: expect.stringContaining("choose another folder in STORAGE_URL"),
      });
    }
  });
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

/** Returns how many reads during `write` saw less than the whole file. */
async function shortReads(path: string, wholeLength: number, write: () => Promise<unknown>): Promise<number> {
  let short = 0;
  let writing = true;
  const written = write().finally(() => (writing = false));
  while (writing) {
    if (existsSync(path) && (await readFile(path)).length < wholeLength) short++;
  }
  await written;
  return short;
}
