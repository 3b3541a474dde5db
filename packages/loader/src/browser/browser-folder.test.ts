import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { browserFolder, sweep, withTemporaryFolder } from "./browser-folder.js";

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "web-tester-folder-"));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

/** Makes what a process leaves behind that is called like ours, but for `change`. */
async function left(change: (words: string[]) => string[], days = 0): Promise<string> {
  const path = join(
    parent,
    `browser-${change(
      basename(await ours())
        .split("-")
        .slice(1),
    ).join("-")}`,
  );
  await mkdir(join(path, "playwright_chromiumdev_profile-x"), { recursive: true });
  await writeFile(join(path, "playwright_chromiumdev_profile-x", "Cookies"), "");
  const then = new Date(Date.now() - days * 86_400_000);
  await utimes(path, then, then);
  return path;
}
const ours = () => browserFolder(Promise.resolve(parent));

test("what killed processes left is removed, and nothing of a living one, or of a stranger's of this week", async () => {
  const child = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)"]);
  const alive = String(child.pid);
  const reused = await left(([space = "", , birth = ""]) => [space, alive, birth]);
  child.kill("SIGKILL");
  await once(child, "exit");
  const dead = await left(([space = "", , birth = ""]) => [space, alive, birth]);
  const earlier = await left(([space = "", pid = ""]) => [space, pid, "1"]);
  const young = await left(([, pid = "", birth = ""]) => ["1", pid, birth], 6);
  const old = await left(([, pid = "", birth = ""]) => ["2", pid, birth], 8);
  const other = join(parent, "chromium-1");
  await mkdir(other);
  await sweep(parent);
  expect([reused, dead, earlier, old].filter((path) => existsSync(path))).toEqual([]);
  expect((await readdir(parent)).toSorted()).toEqual(
    [await ours(), young, other].map((path) => basename(path)).toSorted(),
  );
});

test("the temporary folder is another one only while something starts", async () => {
  const named = () => process.env["TMPDIR"];
  const before = named();
  expect(await withTemporaryFolder(parent, () => Promise.resolve(named()))).toBe(parent);
  await expect(withTemporaryFolder(parent, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(named()).toBe(before);
});

test("a folder that somebody removed is made again", async () => {
  await rm(await ours(), { recursive: true });
  expect(existsSync(await ours())).toBe(true);
});
