// @ts-check
/** Compares stored pages with the live ones: pixels that differ, per page of three documentation sites. */
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import pixelmatch from "pixelmatch";
import { launchBrowser } from "../lib/launch-browser.mjs";
import { PNG } from "pngjs";
import { layOutCorpus } from "../corpus/lay-out.mjs";
import { serveFolder } from "../corpus/serve.mjs";
import { isCount, readWords } from "../lib/read-words.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const viewport = { width: 1280, height: 900 };
const sites = ["postgresql-manual", "django-docs", "libadwaita-docs"];
const limitPercent = 1;

const usage = `npm run bench -- replay [pages of each site (20)]

Pages are spread evenly over each of ${sites.join(", ")}; both sides are drawn by one Chromium (CHROMIUM_PATH, else an installed one), ${viewport.width} × ${viewport.height}, the
whole viewport. The site is stopped before the stored pages are shown. Aim: the median page of each site differs in less than ${limitPercent} % of its pixels.`;

/** @typedef {{ path: string, percent: number, assets: number, missing: number }} Compared */

async function main() {
  const pagesPerSite = Number(readWords(usage, isCount)[0] ?? 20);
  const signal = benchSignal(15 * 60_000);
  const browser = await launchBrowser();
  /** @type {number[]} */
  const medians = [];
  try {
    await withProduct({ signal }, async (product) => {
      for (const site of sites) medians.push(await compareSite(product, browser, site, pagesPerSite, signal));
    });
  } finally {
    await browser.close();
  }
  if (medians.some((percent) => percent >= limitPercent)) process.exitCode = 1;
}

/**
 * @param {import("../lib/stack.mjs").Product} product
 * @param {import("playwright-core").Browser} browser
 * @param {string} site
 * @param {number} count
 * @param {AbortSignal} signal
 */
async function compareSite(product, browser, site, count, signal) {
  const [version] = [...(await layOutCorpus(site, { log: console.log })).values()];
  if (version === undefined) throw new Error(`The corpus ${site} has no version`);
  const served = await serveFolder(version.root);
  const paths = await spread(version.root, count);
  const live = new Map();
  const snapshots = await capture(product, served.url, paths, signal);
  for (const path of paths) live.set(path, await draw(browser, served.url + path));
  await served.close();
  /** @type {Compared[]} */
  const compared = [];
  for (const path of paths) {
    const snapshot = snapshots.get(path);
    if (snapshot === undefined) throw new Error(`There is no snapshot of ${path}`);
    const stored = await draw(browser, `${product.address}/api/testsnapshots/${snapshot.id}/render`);
    compared.push({
      path,
      percent: differing(live.get(path), stored),
      assets: snapshot.assets,
      missing: snapshot.missing,
    });
  }
  const sorted = compared.map(({ percent }) => percent).toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  console.log(
    `\n${site} ${version.version} (${version.package} ${version.contents.release}), ${compared.length} pages`,
  );
  for (const { path, percent, assets, missing } of compared)
    console.log(
      `  ${percent.toFixed(3).padStart(8)} %  ${String(assets).padStart(3)} assets, ${missing} missing  ${path}`,
    );
  console.log(
    `  ${median < limitPercent ? "✓" : "✗"} median ${median.toFixed(3)} %, largest ${(sorted.at(-1) ?? 0).toFixed(3)} % (aim: median under ${limitPercent} %)`,
  );
  return median;
}

/**
 * Fetches the pages with the product.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} url
 * @param {string[]} paths
 * @param {AbortSignal} signal
 * @returns {Promise<Map<string, { id: string, assets: number, missing: number }>>} by path
 */
async function capture({ rest, database }, url, paths, signal) {
  const { id } = await rest.call("createTestObject", { body: { name: "Replay", url } });
  await rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http", asset_snapshots: true } });
  await database.query(
    `INSERT INTO test_instance (test_object_id, url, name) SELECT $1, unnest($2::text[]), 'a page'`,
    [id, paths.map((path) => new URL(path, url).href)],
  );
  const { runId } = await rest.call("snapshotAll", { params: { id } });
  await waitFor(
    async () => (await database.query(`SELECT 1 FROM run WHERE id = $1 AND state <> 'running'`, [runId])).rows[0],
    { what: "the end of the fetch", signal, timeoutMs: 300_000 },
  );
  const { rows } = await database.query(
    `SELECT s.id, i.url, s.state, s.error, count(a.*)::int AS assets, (count(a.*) FILTER (WHERE a.content_hash IS NULL))::int AS missing
     FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id LEFT JOIN snapshot_asset a ON a.list_id = s.files_id
     WHERE i.test_object_id = $1 GROUP BY s.id, i.url`,
    [id],
  );
  const failed = rows.find(({ state }) => state !== "done");
  if (failed !== undefined) throw new Error(`${failed.url} was not fetched: ${failed.error}`);
  return new Map(paths.map((path) => [path, rows.find((row) => row.url === new URL(path, url).href)]));
}

/** Returns HTML pages spread evenly over a folder. @param {string} root @param {number} count */
async function spread(root, count) {
  const all = (await readdir(root, { recursive: true }))
    .filter((name) => name.endsWith(".html"))
    .map((name) => relative(root, join(root, name)))
    .toSorted();
  const step = Math.max(1, all.length / count);
  return Array.from(
    { length: Math.min(count, all.length) },
    (_, index) => all[Math.floor(index * step)] ?? "index.html",
  );
}

/** Takes a screenshot of the viewport. @param {import("playwright-core").Browser} browser @param {string} url */
async function draw(browser, url) {
  const context = await browser.newContext({ viewport, locale: "en-GB", reducedMotion: "reduce" });
  const page = await context.newPage();
  try {
    await page.goto(url, { waitUntil: "networkidle" });
    return PNG.sync.read(await page.screenshot({ animations: "disabled" }));
  } finally {
    await context.close();
  }
}

/** Returns the percentage of pixels that differ visibly. @param {PNG} a @param {PNG} b */
function differing(a, b) {
  const pixels = a.width * a.height;
  return (pixelmatch(a.data, b.data, undefined, a.width, a.height, { threshold: 0.1 }) / pixels) * 100;
}

await main().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
