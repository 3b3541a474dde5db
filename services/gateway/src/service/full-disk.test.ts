import { expect, test } from "@jest/globals";
import { createFullDisk } from "./full-disk.js";

const megabyte = 1024 * 1024;

test("a data directory with little room is named, with what to do", () => {
  const words = createFullDisk("/data", () => 3.5 * megabyte)();
  expect(words).toMatch(/^The disk of the data directory \(DATA_DIR\) is full \(3 MB free\): free some space;/);
});

test("nothing is said while there is room, where it is not known, and where the parts are elsewhere", () => {
  expect(createFullDisk("/data", () => 16 * megabyte)()).toBeNull();
  expect(
    createFullDisk("/data", () => {
      throw new Error("ENOENT");
    })(),
  ).toBeNull();
  expect(createFullDisk(null, () => 0)()).toBeNull();
});

test("the room of a real folder is read", () => {
  expect(createFullDisk(process.cwd())()).toBeNull();
});
