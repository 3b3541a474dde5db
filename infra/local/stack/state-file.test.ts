import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "@jest/globals";
import { keepState } from "./state-file.mjs";
import { until } from "./until.mjs";

const folders: string[] = [];
const kept: { stop(): void }[] = [];

afterEach(async () => {
  for (const state of kept.splice(0)) state.stop();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

async function begin(name: string) {
  const folder = await mkdtemp(join(tmpdir(), "state-file-"));
  folders.push(folder);
  const path = join(folder, name, "stack.json");
  const lines: string[] = [];
  const now = { pid: 1, address: "", databaseUrl: "", natsUrl: "", storageUrl: "", parts: [] };
  const state = keepState(
    path,
    () => now,
    (line) => lines.push(line),
  );
  kept.push(state);
  return { path, lines, now, state };
}

test("what cannot be written ends nothing, is said once, and is written as it is then", async () => {
  const { path, lines, now, state } = await begin("missing");
  state.note();
  now.address = "http://127.0.0.1:8080";
  state.note();
  expect(lines).toEqual([
    expect.stringMatching(/stack\.json cannot be written, which is tried until it can: .*ENOENT/),
  ]);
  await mkdir(join(path, ".."));
  expect(await until(() => (lines.length > 1 ? true : undefined), { timeoutMs: 10_000, everyMs: 20 })).toBe(true);
  expect(lines[1]).toBe(`${path} is written again`);
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ address: "http://127.0.0.1:8080" });
});

test("nothing is written after the end", async () => {
  const { path, state } = await begin("");
  state.stop();
  state.note();
  expect(existsSync(path)).toBe(false);
});
