import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { takeLock } from "./file-lock.mjs";
import { birthOf, isStillRunning } from "./process-birth.mjs";

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-lock-"));
  path = join(folder, "lock");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function take(): Promise<() => Promise<void>> {
  const taken = await takeLock(path);
  if ("holder" in taken) throw new Error(`held by ${taken.holder}`);
  return taken.unlock;
}

test("a second taker is told who holds it, until it is released", async () => {
  const unlock = await take();
  expect(await takeLock(path)).toEqual({ holder: process.pid });
  await unlock();
  await (
    await take()
  )();
  expect(await readdir(folder)).toEqual([]);
});

test("of many takers at once exactly one gets it", async () => {
  const results = await Promise.all(Array.from({ length: 20 }, () => takeLock(path)));
  expect(results.filter((result) => "unlock" in result)).toHaveLength(1);
});

test.each([
  ["a process that is gone", JSON.stringify({ pid: 2 ** 22 + 1, birth: "boot:1" })],
  ["a pid that was given away again", JSON.stringify({ pid: process.pid, birth: "another:1" })],
  ["nobody (damaged)", "{"],
  ["nobody (empty)", ""],
])("a lock left by %s is taken by exactly one of many", async (_whose, content) => {
  await writeFile(path, content);
  const results = await Promise.all(Array.from({ length: 20 }, () => takeLock(path)));
  expect(results.filter((result) => "unlock" in result)).toHaveLength(1);
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ pid: process.pid });
  expect(await readdir(folder)).toEqual(["lock"]);
});

test("releasing leaves a lock alone that somebody else holds by now", async () => {
  const unlock = await take();
  await writeFile(path, JSON.stringify({ pid: process.pid, birth: birthOf(process.pid), token: "another" }));
  await unlock();
  expect(await takeLock(path)).toEqual({ holder: process.pid });
});

test("a process is known by its birth, not by its pid alone", () => {
  const birth = birthOf(process.pid);
  expect(birth).toBeDefined();
  expect(isStillRunning(process.pid, birth ?? "")).toBe(true);
  expect(isStillRunning(process.pid, `${birth}0`)).toBe(false);
  expect(birthOf(2 ** 22 + 1)).toBeUndefined();
});
