import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { installationOf, markerKey } from "./bucket-presence.js";
import type { ObjectStore } from "./object-store.js";
import { hashContent, openObjectStore } from "./open-object-store.js";

/** A folder belongs to one installation, as a bucket does. */
let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "web-tester-owner-"));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const content = Buffer.from("kept");
const hash = hashContent(content);
const [mine, other] = ["01990000-0000-7000-8000-000000000001", "01990000-0000-7000-8000-000000000002"];

function open(root: string, id: string, canBeAway: boolean): ObjectStore {
  const store = openObjectStore(`file:${root}`);
  store.belongsTo({ id, hasMarked: false, noteMarked: () => Promise.resolve() });
  if (canBeAway) store.mayBeAway(false);
  return store;
}
const ownerOf = async (root: string) => installationOf(await readFile(join(root, markerKey)));

test.each([false, true])(
  "a folder of another installation is not the store (on a disk of its own: %s)",
  async (canBeAway) => {
    const root = join(scratch, `of-another-${canBeAway}`);
    await open(root, other, canBeAway).write(hash, content);
    const store = open(root, mine, canBeAway);
    for (const call of [
      () => store.check(),
      () => store.write(hash, content),
      () => store.delete(hash),
      () => store.read(hashContent(Buffer.from("never written"))),
      () => store.has(hashContent(Buffer.from("never written"))),
      () => store.usage(),
    ])
      await expect(call()).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(
          /is the store of another installation, with another database.*replace the file store there by an empty one/,
        ),
      });
    expect(await ownerOf(root)).toBe(other);
    expect(await open(root, other, canBeAway).read(hash)).toEqual(content);

    await writeFile(join(root, markerKey), "");
    await store.check();
    expect([await ownerOf(root), await store.read(hash)]).toEqual([mine, content]);
  },
);

test("a folder of an earlier version, which has no mark, is marked by who uses it, and lists nothing else", async () => {
  const root = join(scratch, "unmarked");
  await openObjectStore(`file:${root}`).write(hash, content);
  const store = open(root, mine, true);
  expect(await store.read(hash)).toEqual(content);
  await store.check();
  expect(await ownerOf(root)).toBe(mine);
  expect(await store.usage()).toEqual({ bytes: (await openObjectStore(`file:${root}`).usage()).bytes });
  await expect(open(root, other, true).check()).rejects.toMatchObject({ code: "unavailable" });
});

test("an emptied folder beside its database is begun anew, with a mark", async () => {
  const root = join(scratch, "emptied");
  await open(root, mine, false).write(hash, content);
  await rm(root, { recursive: true });
  const store = open(root, mine, false);
  await expect(store.read(hash)).rejects.toMatchObject({ code: "content_missing" });
  await store.write(hash, content);
  expect(await ownerOf(root)).toBe(mine);
});
