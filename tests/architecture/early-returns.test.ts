import { glob, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "@jest/globals";
import { earlyReturns } from "./early-returns.js";

const project = resolve(import.meta.dirname, "../..");

test("a test that did not run is skipped, never passed", async () => {
  const found: string[] = [];
  const files = glob("{packages,services,web,infra,benches,tests}/**/*.test.ts", {
    cwd: project,
    exclude: ["**/node_modules/**", "**/dist/**"],
  });
  let count = 0;
  for await (const file of files) {
    count += 1;
    for (const title of earlyReturns(await readFile(join(project, file), "utf8"))) found.push(`${file}: ${title}`);
  }
  expect(found).toEqual([]);
  expect(count).toBeGreaterThan(200);
});

test.each([
  ["a condition", `test("reads the data", () => { if (!data) return; expect(read(data)).toBe(1); });`],
  ["a block", `test("reads the data", async () => { const x = 1; if (!data) { return; } expect(x).toBe(1); });`],
  ["its own name for test", `conformanceTest("reads the data", () => { if (data === "") return; });`],
  ["a choice", `(isRoot ? test : it)("reads the data", () => { if (!data) return; });`],
  ["a table", `test.each([1])("reads the data", (n) => { if (!data) return; expect(n).toBe(1); });`],
])("a return is noticed after %s", (_what, source) => {
  expect(earlyReturns(source)).toEqual(['"reads the data"']);
});

test.each([
  ["after something was expected", `test("x", () => { expect(1).toBe(1); if (odd) return; expect(2).toBe(2); });`],
  ["of a function inside", `test("x", () => { on("line", () => { if (odd) return; seen(); }); expect(1).toBe(1); });`],
])("a return %s is none", (_what, source) => {
  expect(earlyReturns(source)).toEqual([]);
});
