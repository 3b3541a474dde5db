import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "@jest/globals";

const say = (...args: string[]) =>
  spawnSync(process.execPath, [resolve(import.meta.dirname, "main.ts"), ...args], { encoding: "utf8" });

test("the campaign says how it is called, and what is wrong with options, in words alone", () => {
  const help = say("--help");
  expect([help.status, help.stdout]).toEqual([0, expect.stringMatching(/^npm run campaign -- \[option …\]\n/)]);
  expect(help.stdout).not.toMatch(/^\s+at /m);
  const wrong = say("--rounds", "none");
  expect([wrong.status, wrong.stderr]).toEqual([1, "--rounds must be a whole number from 1 to 10000.\n"]);
});
