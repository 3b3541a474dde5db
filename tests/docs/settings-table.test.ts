import { expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Checks that the documents list the real settings and name only files that exist. */
const root = fileURLToPath(new URL("../..", import.meta.url));
const documents = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".md"))
    .map((path) => `docs/${path}`),
];

test("the operator's guide lists every setting as the schema reads it", () => {
  const { status, stderr } = spawnSync(process.execPath, ["infra/local/config-table.mjs", "--check"], {
    cwd: root,
    encoding: "utf8",
    timeout: 60_000,
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test.each(documents)("%s leads nowhere that is not there", (document) => {
  const text = readFileSync(join(root, document), "utf8");
  const linked = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target]) =>
    resolve(root, dirname(document), target ?? ""),
  );
  const named = [...text.matchAll(/`((?:packages|services|web|infra|tests|docs)\/[\w./{},-]+)`/g)]
    .map(([, path]) => path ?? "")
    .filter((path) => !/[{},]|\/dist\//.test(path))
    .map((path) => join(root, path));
  expect([...linked, ...named].filter((path) => !existsSync(path))).toEqual([]);
});
