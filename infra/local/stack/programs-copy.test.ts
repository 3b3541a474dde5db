import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { copyPrograms } from "./programs-copy.mjs";

let folder = "";
let source = "";
let place = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-copy-"));
  source = join(folder, "source");
  place = join(folder, "place");
  await mkdir(join(source, "bin"), { recursive: true, mode: 0o700 });
  await mkdir(place);
  await writeFile(join(source, "bin", "program"), "#!/bin/sh\n");
  await chmod(join(source, "bin", "program"), 0o700);
  await writeFile(join(source, "text"), "text", { mode: 0o600 });
  await symlink("text", join(source, "link"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test("everybody may run and read the copy, whatever the original's modes", async () => {
  const copy = await copyPrograms(source, place, "some");
  expect(await modeOf(copy)).toBe(0o755);
  expect(await modeOf(join(copy, "bin"))).toBe(0o755);
  expect(await modeOf(join(copy, "bin", "program"))).toBe(0o755);
  expect(await modeOf(join(copy, "text"))).toBe(0o644);
  expect(await readlink(join(copy, "link"))).toBe("text");
});

test("it is made once, also when several ask for it at once", async () => {
  const copies = await Promise.all([1, 2, 3].map(() => copyPrograms(source, place, "some")));
  const [first = ""] = copies;
  expect(copies).toEqual([first, first, first]);
  const { ino } = await stat(join(first, "text"));
  expect((await stat(join(await copyPrograms(source, place, "some"), "text"))).ino).toBe(ino);
  expect(await readdir(place)).toHaveLength(1);
});

test("one that is not whole is made anew, and a draft that was left behind is removed", async () => {
  const copy = await copyPrograms(source, place, "some");
  await truncate(join(copy, "text"));
  await mkdir(join(place, "making-left"));
  expect(await copyPrograms(source, place, "some")).toBe(copy);
  expect(await readFile(join(copy, "text"), "utf8")).toBe("text");
  expect(await readdir(place)).toHaveLength(1);
});

test("another version has a copy of its own", async () => {
  const copy = await copyPrograms(source, place, "some");
  await writeFile(join(source, "text"), "longer text");
  expect(await copyPrograms(source, place, "some")).not.toBe(copy);
});

test("a place without room or rights is named", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  await expect(copyPrograms(source, file, "some")).rejects.toMatchObject({
    name: "StartError",
    message: expect.stringContaining(file),
  });
});
