import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "@jest/globals";

/** A program that cannot write its output does not exit with 1, which would mean that something differs. */
const args = [resolve(import.meta.dirname, "../../packages/cli/dist/main.js"), "--help"];

test.each(["stdout", "stderr"] as const)("whoever reads %s may go", async (gone) => {
  const child = spawn(process.execPath, gone === "stdout" ? args : [...args.slice(0, 1), "dance"]);
  child[gone].destroy();
  const [code] = await once(child, "exit");
  expect(code).toBe(gone === "stdout" ? 0 : 3);
});

(existsSync("/dev/full") ? test : test.skip)("a full disk is told (needs /dev/full)", async () => {
  const full = await open("/dev/full", "w");
  const child = spawn(process.execPath, args, { stdio: ["ignore", full.fd, "pipe"] });
  let said = "";
  child.stderr?.on("data", (part: Buffer) => (said += part.toString()));
  const [code] = await once(child, "close");
  await full.close();
  expect([code, said]).toEqual([3, expect.stringMatching(/^The answer cannot be written: ENOSPC/)]);
});

const check = (junit: string) =>
  spawn(process.execPath, [...args.slice(0, 1), "check", "shop", "--server", "nowhere", "--junit", junit]);

(existsSync("/proc/self") ? test : test.skip)(
  "a folder that nobody can make ends the check (needs /proc)",
  async () => {
    const child = check("/proc/web-tester/junit.xml");
    const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
    const [code] = await once(child, "exit");
    clearTimeout(timer);
    expect(code).toBe(3);
  },
);

(process.platform === "win32" ? test.skip : test)(
  "a report that nobody takes can be interrupted (needs mkfifo)",
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "web-tester-pipe-"));
    try {
      const pipe = join(folder, "junit.xml");
      execFileSync("mkfifo", [pipe]);
      const child = check(pipe);
      let isEnded = false;
      const ended = once(child, "exit").then((how) => ((isEnded = true), how));
      await sleep(2_000);
      // it waits for a reader, as every program does that writes into a pipe
      expect(isEnded).toBe(false);
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
      expect(await ended).toEqual([null, "SIGTERM"]);
      clearTimeout(timer);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);
