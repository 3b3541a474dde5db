import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { z } from "zod";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** `--local` runs the product for one command only: no process of it is left, however the command ends. */
const root = resolve(import.meta.dirname, "../..");
let site: Site;
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-local-"));
  // PostgreSQL runs as another user if this test runs as root
  await chmod(folder, 0o711);
  site = await startSite({ "/": `<a href="/a">a</a>`, "/a": "<p>Words</p>" });
});
afterAll(async () => {
  await Promise.all([site.close(), rm(folder, { recursive: true, force: true })]);
});

function start(...args: string[]): ChildProcess {
  return spawn(process.execPath, [join(root, "packages/cli/dist/main.js"), ...args, "--local", "--data", folder], {
    env: { ...process.env, WEB_TESTER_HOME: root },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

const state = z.object({ parts: z.array(z.object({ pid: z.number().nullable() })) });
async function pids(): Promise<number[]> {
  const text = await readFile(join(folder, "run", "stack.json"), "utf8").catch(() => `{"parts":[]}`);
  return state.parse(JSON.parse(text)).parts.flatMap(({ pid }) => (pid === null ? [] : [pid]));
}
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test("a check of an unknown site is clean, and its product is gone with it", async () => {
  const child = start("check", site.url, "--json");
  let out = "";
  child.stdout?.on("data", (part: Buffer) => (out += part.toString()));
  const [code] = await once(child, "close");
  expect([code, JSON.parse(out)]).toMatchObject([0, { outcome: "clean", total: 2, review: "" }]);
  expect(await pids()).toEqual([]);
}, 180_000);

test.each(["SIGINT", "SIGKILL"] as const)(
  "%s in the middle leaves nothing running",
  async (signal) => {
    site.pages.set("/a", (_request, response) => void setTimeout(() => response.end("<p>Slow</p>"), 60_000));
    const asked = site.requests.length;
    const child = start("fetch", site.url);
    await until("the fetch", () => Promise.resolve(site.requests.length > asked), 120_000);
    const running = await pids();
    expect(running.filter(isAlive)).not.toEqual([]);
    child.kill(signal);
    await until("the end of all parts", () => Promise.resolve(!running.some(isAlive)), 60_000);
  },
  240_000,
);
