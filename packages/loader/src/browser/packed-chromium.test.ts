import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unpacked } from "./packed-chromium.js";

let cache = "";
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), "packed-chromium-"));
});
afterEach(() => rm(cache, { recursive: true }));

const unpack = async (fresh: string) => writeFile(join(fresh, "chromium"), "");

test("whoever asks while it is being unpacked waits for that", async () => {
  let times = 0;
  const counted = async (fresh: string) => {
    times += 1;
    await unpack(fresh);
  };
  const found = await Promise.all([1, 2, 3].map(() => unpacked(cache, "chromium-1", counted)));
  expect(new Set(found)).toEqual(new Set([join(cache, "chromium-1")]));
  expect(times).toBe(1);
});

test("it is tried again where it failed", async () => {
  await expect(unpacked(cache, "chromium-1", () => Promise.reject(new Error("disk full")))).rejects.toThrow(
    "disk full",
  );
  expect(await unpacked(cache, "chromium-1", unpack)).toBe(join(cache, "chromium-1"));
});

test("what killed processes had begun is removed, what others are at stays", async () => {
  for (const name of ["unpacking-old", "unpacking-new", "chromium-0"]) await mkdir(join(cache, name));
  const hourAgo = new Date(Date.now() - 3_600_000);
  for (const name of ["unpacking-old", "chromium-0"]) await utimes(join(cache, name), hourAgo, hourAgo);
  await unpacked(cache, "chromium-1", unpack);
  expect((await readdir(cache)).toSorted()).toEqual(["chromium-0", "chromium-1", "unpacking-new"]);
});
