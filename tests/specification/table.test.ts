import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, test } from "@jest/globals";
import { limits } from "@web-tester/contracts/limits";
import { specification } from "./table.js";
import { titlesIn } from "./titles.js";
import { walked } from "./walked.js";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readOnce = new Map<string, Promise<string[]>>();
const titlesOf = (file: string): Promise<string[]> => {
  const known = readOnce.get(file) ?? readFile(root + file, "utf8").then(titlesIn, () => []);
  readOnce.set(file, known);
  return known;
};
const has = (titles: string[], words: string) => titles.some((title) => title.includes(words));

test("every sentence points at a test that is run", async () => {
  const lost: string[] = [];
  for (const [paragraph, sentence, file, words] of [...specification, ...walked])
    if (!has(await titlesOf(file), words)) lost.push(`${paragraph} ${sentence}: no test "${words}" in ${file}`);
  expect(lost).toEqual([]);
});

test("a test that does not exist is noticed", async () => {
  expect(await titlesOf("tests/specification/no-such.test.ts")).toEqual([]);
  expect(has(await titlesOf("tests/web/main-job.test.ts"), "no test has this name")).toBe(false);
});

test.each([
  ["a comment", `// test("words of a sentence", () => {});\ntest("other", () => { /* words of a sentence */ });`],
  [
    "a text that is no title",
    `const said = "words of a sentence"; test("other", () => expect(said).toBe("words of a sentence"));`,
  ],
  ["a group", `describe("words of a sentence", () => { test("other", () => {}); });`],
  ["a skipped test", `test.skip("words of a sentence", () => {});`],
  ["a test in a skipped group", `describe.skip("group", () => { test("words of a sentence", () => {}); });`],
  ["one that is to be written", `test.todo("words of a sentence");`],
])("%s shows nothing", (_what, source) => {
  expect(has(titlesIn(source), "words of a sentence")).toBe(false);
});

test.each([
  ["a title", `describe("group", () => { test("the words of a sentence", scene(async () => {})); });`],
  ["a row", `test.each([["words of a sentence", 1]])("says %s", () => {});`],
  ["a row of a named table", `const rows = [["words of a sentence", 1]]; test.each(rows)("says %s", () => {});`],
])("%s does", (_what, source) => {
  expect(has(titlesIn(source), "words of a sentence")).toBe(true);
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
