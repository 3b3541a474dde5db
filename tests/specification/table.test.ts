import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { limits } from "@web-tester/contracts/limits";
import { specification } from "./table.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readOnce = new Map<string, Promise<string>>();
const textOf = (file: string): Promise<string> => {
  const known = readOnce.get(file) ?? readFile(root + file, "utf8").catch(() => "");
  readOnce.set(file, known);
  return known;
};

test("every sentence points at a test that exists", async () => {
  const lost: string[] = [];
  for (const [paragraph, sentence, file, words] of specification)
    if (!(await textOf(file)).includes(words)) lost.push(`${paragraph} ${sentence}: no "${words}" in ${file}`);
  expect(lost).toEqual([]);
});

test("a test that does not exist is noticed", async () => {
  expect(await textOf("tests/specification/no-such.test.ts")).toBe("");
  expect(await textOf("tests/web/main-job.test.ts")).not.toContain("no test has this name");
});

test("the constants are those of §9", () => {
  expect(limits).toMatchObject({
    instancesPageSize: 20,
    instancesFetchLimit: 1000,
    bulkDiffPageSize: 20,
    bulkDiffIndexOptions: 20,
    infiniteScrollMarginPx: 200,
    bulkDiffWarningPages: 100,
    consoleLinesKept: 200,
    consoleUnreadCap: 99,
    consoleBottomTolerancePx: 16,
    toastDurationMs: 5000,
    toastExitMs: 300,
    toastDuplicateWindowMs: 3000,
    toastStaleMs: 10_000,
    singleSnapshotTimeoutMs: 30_000,
    copiedLabelMs: 2000,
    defaultContextLines: 3,
    maxContextLines: 100,
    consoleDefaultRoom: "web console",
    snapshotPreviewHeightPx: 600,
  });
});
