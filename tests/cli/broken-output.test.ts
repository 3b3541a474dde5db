import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { resolve } from "node:path";
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
