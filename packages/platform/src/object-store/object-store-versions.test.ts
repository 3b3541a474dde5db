import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { wrap } from "./envelope.js";
import { objectKey } from "./content-hash.js";
import type { Bases, ObjectStore, PackedObject } from "./object-store.js";
import { hashContent, openObjectStore } from "./open-object-store.js";
import { driverAt, places, startPlaces, stopPlaces } from "./test-places.js";

beforeAll(async () => {
  await startPlaces(["versions"]);
}, 30_000);

afterAll(stopPlaces);

describe.each(places)("versions in a $place", ({ url, credentials }) => {
  const open = (name: string) => openObjectStore(url(name), credentials);
  const driverOf = (name: string) => driverAt(url(name), credentials);

  test("keeps versions of a page against their keyframe, and that one against the site's dictionary", async () => {
    const store = open("versions");
    const dictionary = pageOf(0);
    const [first, second, third] = [pageOf(1), pageOf(1, "<p>second</p>"), pageOf(1, "<p>third</p>")];
    await store.write(hashContent(dictionary), dictionary);
    const keyframe = hashContent(first);
    const packed = [
      await keep(store, first, { keyframe: null, dictionary: hashContent(dictionary) }),
      await keep(store, second, { keyframe, dictionary: hashContent(dictionary) }),
      await keep(store, third, { keyframe, dictionary: hashContent(dictionary) }),
    ];
    expect(packed.map(({ depth }) => depth)).toEqual([0, 1, 1]);
    expect(packed.map(({ base }) => base?.toString("hex"))).toEqual(
      [hashContent(dictionary), keyframe, keyframe].map((hash) => hash.toString("hex")),
    );
    const alone = (await store.pack(first, { keyframe: null, dictionary: null })).stored.length;
    expect(packed[0]?.stored.length).toBeLessThan(alone);
    expect(packed[1]?.stored.length).toBeLessThan(alone / 10);
    // read by a store that has nothing in memory
    for (const content of [first, second, third])
      expect((await open("versions").read(hashContent(content))).equals(content)).toBe(true);
  });

  test("gives a page that has grown away from its keyframe a new one", async () => {
    const store = open("versions");
    const first = pageOf(2);
    await store.write(hashContent(first), first);
    const packed = await keep(store, pageOf(3), { keyframe: hashContent(first), dictionary: null });
    expect(packed).toMatchObject({ base: null, depth: 0 });
  });

  test("does without a base that is missing, damaged, or rests on another one", async () => {
    const store = open("versions");
    const first = pageOf(4);
    const second = pageOf(4, "<p>more</p>");
    const gone = hashContent(Buffer.from("never written"));
    expect(await store.pack(second, { keyframe: gone, dictionary: gone })).toMatchObject({ base: null, depth: 0 });
    await store.write(hashContent(first), first);
    await keep(store, second, { keyframe: hashContent(first), dictionary: null });
    expect(
      await open("versions").pack(pageOf(4, "3"), { keyframe: null, dictionary: hashContent(second) }),
    ).toMatchObject({ base: null });
    // intact as an object, but with content of another hash: what is packed against it could not be read once the object is repaired
    await driverOf("versions").put(objectKey(hashContent(first)), await wrap(pageOf(5)));
    expect(
      await open("versions").pack(second, { keyframe: hashContent(first), dictionary: hashContent(first) }),
    ).toMatchObject({ base: null });
  });

  test("does without a base whose stored form was cut short or changed on the disk", async () => {
    const store = open("versions");
    const first = pageOf(10);
    const second = pageOf(10, "<p>more</p>");
    const keyframe = hashContent(first);
    await store.write(keyframe, first);
    const sound = (await driverOf("versions").get(objectKey(keyframe), 1024 * 1024)) ?? Buffer.alloc(0);
    const middle = sound.length >> 1;
    const damages = {
      emptied: Buffer.alloc(0),
      cut: sound.subarray(0, middle),
      flipped: Buffer.concat([sound.subarray(0, middle), Buffer.alloc(64, 0xff), sound.subarray(middle + 64)]),
    };
    for (const [how, damaged] of Object.entries(damages)) {
      await driverOf("versions").put(objectKey(keyframe), damaged);
      for (const bases of [
        { keyframe, dictionary: null },
        { keyframe: null, dictionary: keyframe },
      ])
        expect({ how, ...(await open("versions").pack(second, bases)) }).toMatchObject({ how, base: null });
      await expect(open("versions").read(keyframe)).rejects.toMatchObject({ code: "content_damaged", hash: keyframe });
    }
    await driverOf("versions").put(objectKey(keyframe), sound);
    expect(await open("versions").pack(second, { keyframe, dictionary: null })).toMatchObject({ base: keyframe });
  });

  test("says so when what a version rests on is lost or damaged, and reads it again when that is mended", async () => {
    const store = open("versions");
    const first = pageOf(6);
    const second = pageOf(6, "<p>more</p>");
    await store.write(hashContent(first), first);
    await keep(store, second, { keyframe: hashContent(first), dictionary: null });
    await store.delete(hashContent(first));
    await expect(open("versions").read(hashContent(second))).rejects.toMatchObject({
      code: "content_missing",
      message: expect.stringContaining(hashContent(first).toString("hex")),
    });
    await driverOf("versions").put(objectKey(hashContent(first)), await wrap(pageOf(7)));
    await expect(open("versions").read(hashContent(second))).rejects.toMatchObject({ code: "content_damaged" });
    await store.write(hashContent(first), first);
    expect((await open("versions").read(hashContent(second))).equals(second)).toBe(true);
  });

  test("reads versions of many pages at once, each against its own keyframe", async () => {
    const store = open("versions");
    const dictionary = pageOf(30);
    await store.write(hashContent(dictionary), dictionary);
    const contents: Buffer[] = [];
    for (let seed = 31; seed < 37; seed += 1) {
      const first = pageOf(seed);
      await keep(store, first, { keyframe: null, dictionary: hashContent(dictionary) });
      const versions = ["<p>second</p>", "<p>third</p>"].map((more) => pageOf(seed, more));
      for (const version of versions) {
        const packed = await keep(store, version, { keyframe: hashContent(first), dictionary: null });
        expect(packed.depth).toBe(1);
      }
      contents.push(...versions);
    }
    const reader = open("versions");
    const turns = contents.toSorted((a, b) => Buffer.compare(hashContent(a), hashContent(b)));
    const read = await Promise.all([...turns, ...contents].map((content) => reader.read(hashContent(content))));
    expect(read.map((content, index) => content.equals([...turns, ...contents][index] ?? Buffer.alloc(0)))).toEqual(
      Array.from({ length: 24 }, () => true),
    );
  });

  test("does not keep to a keyframe that was damaged when it was read first", async () => {
    const store = open("versions");
    const first = pageOf(40);
    const [second, third] = [pageOf(40, "<p>more</p>"), pageOf(40, "<p>much more</p>")];
    await store.write(hashContent(first), first);
    for (const version of [second, third])
      await keep(store, version, { keyframe: hashContent(first), dictionary: null });
    const reader = open("versions");
    const wrong = Buffer.from(first.toString().replaceAll("0", "1"));
    await driverOf("versions").put(objectKey(hashContent(first)), await wrap(wrong));
    await expect(reader.read(hashContent(second))).rejects.toMatchObject({ code: "content_damaged" });
    await store.write(hashContent(first), first);
    for (const version of [third, second]) expect((await reader.read(hashContent(version))).equals(version)).toBe(true);
  });

  test("does not follow objects that rest on one another in a circle", async () => {
    const [one, other] = [pageOf(8), pageOf(9)];
    const driver = driverOf("versions");
    const against = async (content: Buffer, bytes: Buffer) =>
      driver.put(
        objectKey(hashContent(content)),
        await wrap(content, { hash: hashContent(bytes), kind: "version", bytes }),
      );
    await against(one, other);
    await against(other, one);
    await expect(open("versions").read(hashContent(one))).rejects.toMatchObject({ code: "content_damaged" });
  });
});

/** A page with a text of its own inside the boilerplate of a site. */
function pageOf(seed: number, more = ""): Buffer {
  const own = Array.from({ length: 300 }, (_, index) => hashContent(Buffer.from(`${seed} ${index}`)).toString("hex"));
  const shared = Array.from({ length: 40 }, (_, index) => hashContent(Buffer.from(`nav ${index}`)).toString("base64"));
  return Buffer.from(`<nav>${shared.join("</li><li>")}</nav><p>${own.join(" ")}</p>${more}`);
}

async function keep(store: ObjectStore, content: Buffer, bases: Bases): Promise<PackedObject> {
  const packed = await store.pack(content, bases);
  await store.writePacked(hashContent(content), packed);
  return packed;
}
