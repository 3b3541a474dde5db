import { readdir, readFile } from "node:fs/promises";
import { afterEach, expect, test } from "@jest/globals";
import { type BrowserLoading, startBrowserLoading } from "../support/browser-loading.js";
import { createSites } from "../support/site.js";
import { until } from "../support/until.js";

/** Chromium is started when a page needs it and ends when it has been idle. */
const sites = createSites();
let loading: BrowserLoading | undefined;
afterEach(async () => {
  await loading?.close();
  await sites.close();
});

/** Counts the descendants of this process, at any depth. */
async function descendants(): Promise<number> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(() => "");
    parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]));
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && pid > 1 && (pid === process.pid || isBelow(parents.get(pid)));
  return [...parents].filter(([, parent]) => isBelow(parent)).length;
}

test("it ends when no page has been in it for a while, not before, and starts again with the next page", async () => {
  const site = await sites.open({
    "/": "<!doctype html><title>Short</title><p>short",
    "/long": `<!doctype html><title>Long</title><p>long<script>setTimeout(() => document.body.append("late"), 3000)</script>`,
  });
  const before = await descendants();
  loading = startBrowserLoading({ idleMs: 1_500 });
  expect(await loading.load(site.url)).toMatchObject({ kind: "page" });
  // the idle time does not run while a page is open
  const long = await loading.load(`${site.url}long`);
  expect(long.kind === "page" ? long.body.toString() : long.kind).toContain("late");
  expect(await descendants()).toBeGreaterThan(before);
  await until("Chromium and all its processes to end", async () => (await descendants()) === before, 20_000);
  expect(await loading.pool.problem()).toBe(null);
  expect(await loading.load(site.url)).toMatchObject({ kind: "page" });
});
