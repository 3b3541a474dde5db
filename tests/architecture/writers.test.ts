import { globSync, readFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { expect, test } from "@jest/globals";
import { foldersOfTables, writerFaults, writesOthers } from "../../infra/local/lint/writers.mjs";

/** Each table is written only by files of the folder that defines it. */
const project = resolve(import.meta.dirname, "../..");
const folders = foldersOfTables(project);
const faultsOf = (file: string, as = file) => writerFaults(as, readFileSync(join(project, file), "utf8"), folders);
const files = globSync("{packages,services}/*/src/**/*.ts", { cwd: project })
  .map((file) => file.split(sep).join("/"))
  .filter((file) => !file.endsWith(".test.ts"));

test("no file writes a table of another folder but those that say why", () => {
  expect(folders.get("test_snapshot")).toBe("packages/records/src/snapshots/");
  expect(folders.size).toBeGreaterThan(20);
  expect(files.length).toBeGreaterThan(400);
  expect(files.flatMap((file) => faultsOf(file))).toEqual([]);
});

test("and those still do, so that the list is no longer than it has to be", () => {
  const idle = Object.keys(writesOthers).filter(
    (file) => faultsOf(file, file.replace(/[^/]+$/, "other-$&")).length === 0,
  );
  expect(idle).toEqual([]);
});

const gateway = "services/gateway/src/runs/planted.ts";
test.each([
  ["a service's insert", gateway, "INSERT INTO test_snapshot (id) VALUES ($1)"],
  ["an update over two lines", gateway, "UPDATE\n  run SET state = 'done'"],
  ["a removal of one name", gateway, "WITH x AS (DELETE FROM ONLY crawl_page RETURNING id) SELECT * FROM x"],
  ["a quoted name", gateway, 'UPDATE "change" SET id = $1'],
  ["another noun's folder", "packages/records/src/runs/planted.ts", "UPDATE test_instance SET url = ''"],
  ["a name put together", gateway, "DELETE FROM ${table}"],
])("refuses: %s", (_what, file, statement) => {
  expect(writerFaults(file, `const sql = \`${statement}\`;`, folders)).toEqual([expect.stringContaining(`${file}: `)]);
});

test.each([
  ["the folder itself", "packages/records/src/snapshots/planted.ts", "UPDATE test_snapshot SET error = NULL"],
  ["a reader", gateway, "SELECT id FROM test_snapshot FOR UPDATE"],
  ["a migration", "packages/records/src/schema/migrations/1-planted.ts", "UPDATE run SET state = 'done'"],
])("lets pass: %s", (_what, file, statement) => {
  expect(writerFaults(file, `const sql = \`${statement}\`;`, folders)).toEqual([]);
});
