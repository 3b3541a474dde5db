import { mkdirSync, mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { dateMovedSources } from "./moved-sources.mjs";

let home: string;
const hourMs = 3_600_000;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "web-tester-moved-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** @param hours modification time of the file, relative to now; the file is put in place now */
function write(path: string, hours: number): void {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), "");
  const time = new Date(Date.now() + hours * hourMs);
  utimesSync(join(home, path), time, time);
}

test("a source that came with an old time after the last build is dated anew, and no other", () => {
  write("packages/html/dist/.tsbuildinfo", -1);
  write("packages/html/src/deep/moved.ts", -5);
  write("packages/html/src/edited.ts", 0);
  write("packages/urls/dist/.tsbuildinfo", 1);
  write("packages/urls/src/known.ts", -5);
  write("services/gateway/src/never-built.ts", -5);
  expect(dateMovedSources(home)).toEqual([join("packages/html/src/deep/moved.ts")]);
  expect(Date.now() - statSync(join(home, "packages/html/src/deep/moved.ts")).mtimeMs).toBeLessThan(hourMs);
  expect(dateMovedSources(home)).toEqual([]);
});
