// @ts-check
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { constants, zstdCompressSync } from "node:zlib";
import { wrap } from "@web-tester/platform/object-store/envelope";
import { hashContent, openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { nodeFlags } from "../../infra/local/stack/services.mjs";
import { median } from "../lib/report.mjs";

const rounds = 5;
const run = promisify(execFile);

/**
 * Measures the CPU time of the work on every page, in one process: hashed and packed against its base, which is read from
 * the folder and verified as the fetcher does it, compared with plain zstd-3; and read back, by the kind of storage.
 * Rounds are interleaved, figures are medians.
 * @param {readonly import("../corpus/lay-out.mjs").LaidOutVersion[]} versions
 * @param {import("../lib/report.mjs").Report} report
 */
export async function measureCosts(versions, report) {
  report.begin("costs");
  const folder = await mkdtemp(join(tmpdir(), "web-tester-bench-"));
  try {
    const releases = await Promise.all(versions.map((version) => pagesOf(version.root)));
    const store = openObjectStore(`file:${join(folder, "objects")}`);
    const kept = await keepAll(releases, store);
    const bytes = sum(kept.map(({ body }) => body.length));
    /** @type {Record<string, number[]>} */
    const seconds = { plain: [], inMemory: [], packed: [] };
    const inMemory = bodiesByHash(kept);
    for (let round = 0; round < rounds; round++) {
      seconds["plain"]?.push(await cpuSeconds(async () => kept.forEach(({ body }) => plainZstd(body))));
      seconds["inMemory"]?.push(await cpuSeconds(() => hashAndCompress(kept, inMemory)));
      const fresh = openObjectStore(`file:${join(folder, "objects")}`);
      seconds["packed"]?.push(
        await cpuSeconds(async () => {
          for (const { body, bases } of kept) {
            hashContent(body);
            await fresh.pack(body, bases);
          }
        }),
      );
    }
    const [plain, direct, packed] = [seconds["plain"], seconds["inMemory"], seconds["packed"]].map((list) =>
      median(list ?? []),
    );
    if (plain === undefined || direct === undefined || packed === undefined) throw new Error("Nothing was measured");
    report.log(
      `  ${kept.length} pages, ${mb(bytes)} MB; plain zstd-3 ${(bytes / 1e6 / plain).toFixed(0)} MB per CPU second, hashed and compressed against its base in memory ${(bytes / 1e6 / direct).toFixed(0)} (${(direct / plain).toFixed(2)} times plain), as the fetcher does it, with the base read and verified, ${(bytes / 1e6 / packed).toFixed(0)}`,
    );
    report.below(
      "hashing and compressing, the base read from the folder and verified, beside plain zstd-3",
      1.8,
      packed / plain,
      "times its CPU time",
      { digits: 2 },
    );
    const hashes = (/** @type {readonly KeptPage[]} */ pages) => pages.map(({ key }) => key.toString("hex"));
    const ofKind = (/** @type {KeptPage["kind"]} */ kind) => kept.filter((page) => page.kind === kind);
    const readings = {
      "pages stored as keyframe": hashes(ofKind("keyframe")),
      "pages stored as version": hashes(ofKind("version")),
      "versions, those of a page one after the other": hashes(ofKind("version").toSorted(byKeyframe)),
    };
    for (const [kind, rates] of Object.entries(await readBack(join(folder, "objects"), readings)))
      report.atLeast(
        `read back, verified, ${readings[/** @type {keyof typeof readings} */ (kind)].length} ${kind}`,
        150,
        median(rates),
        "MB per CPU second",
      );
    store.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Reads pages back in a separate process with the flags of the differ, which reads the most.
 * @param {string} folder
 * @param {import("./read-back.mjs").Readings} readings
 * @returns {Promise<Record<string, number[]>>} MB of content per CPU second in every round, by kind
 */
async function readBack(folder, readings) {
  const list = join(folder, "..", "readings.json");
  await writeFile(list, JSON.stringify(readings));
  const program = fileURLToPath(new URL("read-back.mjs", import.meta.url));
  const { stdout } = await run(process.execPath, [...nodeFlags("differ"), program, folder, list]);
  return JSON.parse(stdout);
}

/** @param {KeptPage} a @param {KeptPage} b */
function byKeyframe({ bases: { keyframe: a } }, { bases: { keyframe: b } }) {
  return Buffer.compare(a ?? Buffer.alloc(0), b ?? Buffer.alloc(0));
}

/**
 * @typedef {object} KeptPage
 * @property {Buffer} body
 * @property {Buffer} key
 * @property {import("@web-tester/platform/object-store/object-store").Bases} bases
 * @property {"keyframe" | "version"} kind
 */

/**
 * Stores every page of every release as the fetcher does: the first page of medium size becomes the dictionary.
 * @param {readonly Map<string, Buffer>[]} releases
 * @param {import("@web-tester/platform/object-store/object-store").ObjectStore} store
 * @returns {Promise<KeptPage[]>} each distinct content once
 */
async function keepAll(releases, store) {
  /** @type {Map<string, KeptPage>} */
  const kept = new Map();
  /** @type {Map<string, Buffer>} */
  const keyframes = new Map();
  /** @type {Buffer | null} */
  let dictionary = null;
  for (const release of releases)
    for (const [name, body] of release) {
      const key = hashContent(body);
      const known = kept.has(key.toString("hex"));
      if (known) continue;
      const bases = { keyframe: keyframes.get(name) ?? null, dictionary };
      const packed = await store.pack(body, bases);
      await store.writePacked(key, packed);
      if (packed.depth === 0) keyframes.set(name, key);
      if (dictionary === null && body.length >= 4096 && body.length <= 12288) dictionary = key;
      kept.set(key.toString("hex"), { body, key, bases, kind: packed.depth === 0 ? "keyframe" : "version" });
    }
  return [...kept.values()];
}

/**
 * Returns the bases of all pages by hash, as the store would have them in memory.
 * @param {readonly KeptPage[]} kept
 * @returns {Map<string, Buffer>}
 */
function bodiesByHash(kept) {
  return new Map(kept.map(({ key, body }) => [key.toString("hex"), body]));
}

/**
 * @param {readonly KeptPage[]} kept
 * @param {ReadonlyMap<string, Buffer>} bodies
 */
async function hashAndCompress(kept, bodies) {
  for (const { body, bases, kind } of kept) {
    hashContent(body);
    const hash = kind === "version" ? bases.keyframe : bases.dictionary;
    const bytes = hash === null ? undefined : bodies.get(hash.toString("hex"));
    await wrap(
      body,
      hash === null || bytes === undefined
        ? null
        : { hash, kind: kind === "version" ? "version" : "dictionary", bytes },
    );
  }
}

/** @param {string} root @returns {Promise<Map<string, Buffer>>} HTML pages by path */
export async function pagesOf(root) {
  const names = (await readdir(root, { recursive: true })).filter((name) => /\.html?$/.test(name)).toSorted();
  return new Map(
    await Promise.all(names.map(async (name) => /** @type {const} */ ([name, await readFile(join(root, name))]))),
  );
}

/** @param {Buffer} body */
function plainZstd(body) {
  return zstdCompressSync(body, {
    params: { [constants.ZSTD_c_compressionLevel]: 3 },
    pledgedSrcSize: body.length,
  });
}

/** @param {() => Promise<void>} work @returns {Promise<number>} CPU seconds of this process, including all threads */
async function cpuSeconds(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** @param {readonly number[]} numbers */
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);

/** @param {number} bytes */
export const mb = (bytes) => (bytes / 1e6).toFixed(1);
