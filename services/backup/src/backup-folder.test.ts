import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { makeRowsFolder, readManifest, writeManifest } from "./backup-folder.js";

/** A manifest carries its own digest: what was changed in it is found, and manifests of earlier versions, which have none, are read. */
let folder: string;
let path: string;
let written: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-manifest-"));
  path = join(folder, "manifest.json");
  const rows = await makeRowsFolder(folder);
  const bytes = Buffer.from("rows");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const stored = (file: string) => ({ file, bytes: bytes.length, sha256 });
  for (const name of ["run.zst", "objects.zst"]) await writeFile(join(folder, rows, name), bytes);
  await writeManifest(folder, {
    madeAt: "2026-01-31T12:00:00.000Z",
    rows,
    migrations: ["MainJob1700000000000"],
    tables: [{ ...stored("run.zst"), name: "run", columns: ["id", "kind"], rows: 7 }],
    objects: { ...stored("objects.zst"), count: 3 },
    ...{ lost: [], keyMark: null, installation: null },
  });
  written = await readFile(path, "utf8");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  ["a digit of its time", '"madeAt": "2026', '"madeAt": "2025'],
  ["the name of a table", '"name": "run"', '"name": "ran"'],
  ["a column of a table", '"kind"', '"kund"'],
  ["a number of rows", '"rows": 7', '"rows": 6'],
  ["the number of objects", '"count": 3', '"count": 2'],
  ["its digest", '"sha256"', '"sha256": "", "sha255"'],
])("%s was changed: it is damaged", async (_what, before, after) => {
  const at = written.lastIndexOf(before);
  expect(at).toBeGreaterThan(0);
  await writeFile(path, written.slice(0, at) + after + written.slice(at + before.length));
  await expect(readManifest(folder)).rejects.toMatchObject({
    code: "content_damaged",
    message: expect.stringContaining("its manifest.json is not what was written"),
  });
});

test("positive control: it is read as it was written, also with other white space, and without a digest as well", async () => {
  const { sha256, ...rest } = JSON.parse(written) as Record<string, unknown>;
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  for (const text of [written, JSON.stringify({ ...rest, sha256 }), JSON.stringify(rest)]) {
    await writeFile(path, text);
    expect(await readManifest(folder)).toMatchObject({ madeAt: "2026-01-31T12:00:00.000Z", tables: [{ rows: 7 }] });
  }
});
