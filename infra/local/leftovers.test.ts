import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { removeLeftovers } from "./leftovers.mjs";

let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "web-tester-leftovers-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), "");
  }
}

test("what was compiled of a source that is gone is removed, and nothing else", () => {
  const kept = [
    "packages/records/src/schema/migrations/1-first.ts",
    "packages/records/dist/schema/migrations/1-first.js",
    "packages/records/dist/schema/migrations/1-first.d.ts",
    "packages/records/dist/.tsbuildinfo",
    "packages/records/dist/schema/bundle/main.js",
    "packages/records/dist/schema/bundle/main.js.map",
    "services/gateway/src/main.ts",
    "packages/html/src/text.ts",
  ];
  const gone = ["js", "js.map", "d.ts"].map((end) => `packages/records/dist/schema/migrations/2-taken-back.${end}`);
  write(...kept, ...gone);
  expect(removeLeftovers(home).sort()).toEqual([...gone].sort());
  expect(kept.filter((path) => !existsSync(join(home, path)))).toEqual([]);
  expect(gone.filter((path) => existsSync(join(home, path)))).toEqual([]);
});
