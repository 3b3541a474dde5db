import { execFileSync } from "node:child_process";
import { mkdtemp, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { openDataDir } from "./data-dir.mjs";

let root = "";
let lines: string[] = [];
const log = (line: string) => void lines.push(line);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "data-dir-"));
  lines = [];
});
afterEach(async () => {
  if (canMount) execFileSync("umount", [root]);
  await rm(root, { recursive: true, force: true });
});

const canMount = process.platform === "linux" && process.getuid?.() === 0 && mounts();

/** If nothing can be mounted, the test is skipped and counted as skipped. */
const testMounted = canMount ? test : test.skip;

function mounts(): boolean {
  try {
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", tmpdir()], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** Mounts a disk that is full except for this many MB. */
async function mountWith(freeMegabytes: number): Promise<void> {
  execFileSync("mount", ["-t", "tmpfs", "-o", "size=20m", "web-tester-data-dir", root]);
  await writeFile(join(root, "secrets.json"), "");
  const { bavail, bsize } = await statfs(root);
  await writeFile(join(root, "rest"), Buffer.alloc(bavail * bsize - freeMegabytes * 1024 * 1024));
}

testMounted("data that are there are served from a disk that is nearly full (needs root on Linux)", async () => {
  await mountWith(8);
  const { unlock } = await openDataDir(root, log);
  await unlock();
  expect(lines).toEqual([expect.stringMatching(/^WARNING: Only [78] MB are free for the data directory .* Free some/)]);

  await rm(join(root, "secrets.json"));
  await expect(openDataDir(root, log)).rejects.toThrow(/^Only [78] MB are free .*: free at least 200 MB, or choose/);
});

testMounted("a full disk is named (needs root on Linux)", async () => {
  await mountWith(0);
  await expect(openDataDir(root, log)).rejects.toThrow(/No space is left|Only 0 MB are free/);
});
