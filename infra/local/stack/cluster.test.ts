import { writeFileSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { clusterState, removeDrafts, setAside } from "./cluster.mjs";

let dir = "";
beforeEach(async () => {
  dir = join(await mkdtemp(join(tmpdir(), "web-tester-cluster-")), "postgres");
});
afterEach(() => rm(dirname(dir), { recursive: true, force: true }));

const files = [
  "PG_VERSION",
  "global/pg_control",
  "postgresql.conf",
  "pg_hba.conf",
  "base/1/PG_VERSION",
  "base/5/PG_VERSION",
];

async function layOut(lacking?: string): Promise<void> {
  await mkdir(join(dir, "pg_wal"), { recursive: true });
  for (const file of files) {
    if (file === lacking) continue;
    await mkdir(dirname(join(dir, file)), { recursive: true });
    await writeFile(join(dir, file), "18\n");
  }
}

test("a cluster with all of its vital files is whole", async () => {
  await layOut();
  expect(await clusterState(dir)).toEqual({ is: "whole" });
});

test.each(files)("one without %s is broken", async (file) => {
  await layOut(file);
  expect(await clusterState(dir)).toEqual({ is: "broken", lacks: `${file} is missing` });
});

test("an empty file is a missing one: a power cut leaves such", async () => {
  await layOut();
  await writeFile(join(dir, "global", "pg_control"), "");
  expect(await clusterState(dir)).toEqual({ is: "broken", lacks: "global/pg_control is missing" });
});

test("nothing and an empty folder are missing, a file is broken", async () => {
  expect(await clusterState(dir)).toEqual({ is: "missing" });
  await mkdir(dir);
  expect(await clusterState(dir)).toEqual({ is: "missing" });
  await rm(dir, { recursive: true });
  await writeFile(dir, "");
  expect(await clusterState(dir)).toMatchObject({ is: "broken" });
});

test("another version is named, whole or not", async () => {
  await mkdir(dir);
  await writeFile(join(dir, "PG_VERSION"), "17\n");
  await expect(clusterState(dir)).rejects.toThrow(/was made by PostgreSQL 17, this is 18/);
});

test("what is set aside keeps its content, each time under another name", async () => {
  await layOut();
  const first = await setAside(dir);
  expect(await readFile(join(first, "PG_VERSION"), "utf8")).toBe("18\n");
  expect(await clusterState(dir)).toEqual({ is: "missing" });
});

test("drafts go, and nothing else", async () => {
  await layOut();
  const draft = `${dir}.making-7`;
  const other = `${dir}.set-aside-then`;
  for (const folder of [draft, other]) await mkdir(join(folder, "cluster"), { recursive: true });
  await removeDrafts(dir);
  expect(await clusterState(draft)).toEqual({ is: "missing" });
  expect(await clusterState(other)).toMatchObject({ is: "broken" });
  expect(await clusterState(dir)).toEqual({ is: "whole" });
});

test("a draft goes although the initdb of a killed start still writes to it", async () => {
  const folder = join(`${dir}.making-7`, "cluster");
  await mkdir(folder, { recursive: true });
  for (let file = 0; file < 200; file++) await writeFile(join(folder, `first-${file}`), "");
  let written = 0;
  const writing = setInterval(() => {
    try {
      writeFileSync(join(folder, `late-${written}`), "");
      written += 1;
    } catch {
      // as initdb does, it ends where it cannot write any more
      clearInterval(writing);
    }
    if (written === 100) clearInterval(writing);
  });
  await removeDrafts(dir);
  clearInterval(writing);
  expect(written).toBeGreaterThan(0);
  expect(await clusterState(`${dir}.making-7`)).toEqual({ is: "missing" });
});
