import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { areas } from "../../infra/local/lint/arrows.mjs";
import { allowed, cycle } from "./allowed-plants.js";
import type { Plant } from "./plant.js";
import { forbidden } from "./plants.js";

const project = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const report = z.object({
  diagnostics: z.array(
    z.object({ code: z.string().optional(), filename: z.string(), message: z.string(), help: z.string().optional() }),
  ),
});

/** The path of a copy of the tree, so that planted violations never appear in the real one. */
let copy = "";
/** The lint's messages about forbidden imports in the copy with all plants in it, by relative path of the file. */
const said = new Map<string, string[]>();
/** The files that the lint finds in an import cycle: the planted ones, and those in which a planted back import closes a cycle. */
const inCycle = new Set<string>();

beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), "web-tester-arrows-"));
  const parts = [
    "packages",
    "services",
    "web",
    "tests",
    "benches",
    "infra",
    "package.json",
    "tsconfig.base.json",
    "tsconfig.json",
    "oxlint.config.ts",
  ];
  for (const part of parts) {
    await cp(join(project, part), join(copy, part), {
      recursive: true,
      filter: (path) => !["node_modules", "dist"].includes(basename(path)),
    });
  }
  await symlink(join(project, "node_modules"), join(copy, "node_modules"));
  // The rules about imports need no type information, which would take ten seconds more.
  await rename(join(copy, "oxlint.config.ts"), join(copy, "whole-lint.ts"));
  await writeFile(
    join(copy, "oxlint.config.ts"),
    `import whole from "./whole-lint.ts";\nexport default { ...whole, options: { ...whole.options, typeAware: false } };\n`,
  );
  for (const plant of [...forbidden, ...allowed, ...cycle]) await put(plant);
  for (const { filename, code, message, help } of await lint()) {
    const file = relative(copy, resolve(copy, filename));
    if (code?.includes("no-cycle")) inCycle.add(file);
    if (code?.includes("no-restricted-")) said.set(file, [...(said.get(file) ?? []), `${message} ${help ?? ""}`]);
  }
}, 60_000);

afterAll(async () => {
  await rm(copy, { recursive: true, force: true });
});

async function put({ file, code }: Plant): Promise<void> {
  const path = join(copy, file);
  await mkdir(dirname(path), { recursive: true });
  const present = await readFile(path, "utf8").catch(() => "");
  await writeFile(path, `${code}\n${present}`);
}

async function lint(): Promise<z.infer<typeof report>["diagnostics"]> {
  const program = join(project, "node_modules", "oxlint", "bin", "oxlint");
  const args = [program, "-f", "json", "--disable-nested-config", "."];
  const run = promisify(execFile)(process.execPath, args, {
    cwd: copy,
    maxBuffer: 64 * 1024 * 1024,
    timeout: 50_000,
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  // The lint exits with 1 because it finds something.
  const { stdout } = await run.catch((error: { stdout: string }) => error);
  return report.parse(JSON.parse(stdout)).diagnostics;
}

describe("arrows", () => {
  test.each(forbidden)("refuses: $why ($file)", ({ file, says }) => {
    expect(said.get(file) ?? []).toContainEqual(expect.stringContaining(says));
  });

  test.each(allowed)("lets pass: $why ($file)", ({ file }) => {
    expect(said.get(file) ?? []).toEqual([]);
  });

  test("refuses import cycles", () => {
    expect(inCycle).toContain("packages/diff/src/planted-cycle.ts");
  });

  test("finds no violation but the planted ones", () => {
    const planted = new Set(forbidden.map(({ file }) => file));
    expect([...said].filter(([file]) => !planted.has(file))).toEqual([]);
  });

  test("has seen every refusal of the table fail", () => {
    const messages = new Set(areas(copy).flatMap(({ refusals }) => refusals.map(({ message }) => message)));
    const reported = [...said.values()].flat();
    expect([...messages].filter((message) => !reported.some((text) => text.includes(message)))).toEqual([]);
  });
});
