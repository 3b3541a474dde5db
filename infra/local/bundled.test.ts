import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { bundleOf, programOf } from "./bundled.mjs";

const program = "services/gateway/dist/main.js";
let home: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "web-tester-bundled-"));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

/** @param time modification time in seconds */
function write(path: string, time: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  utimesSync(path, time, time);
}

test("a program runs from its bundle only while nothing was compiled since", () => {
  write(join(home, program), 10);
  write(join(home, "packages/html/dist/.tsbuildinfo"), 10);
  expect(programOf(program, home)).toBe(join(home, program));
  write(bundleOf(program, home), 20);
  expect(programOf(program, home)).toBe(bundleOf(program, home));
  write(join(home, "packages/html/dist/.tsbuildinfo"), 30);
  expect(programOf(program, home)).toBe(join(home, program));
});
