// @ts-check
/** Fetches pages in Chromium with the fetcher, a bare playwright-core loop and crawlee, in pages per CPU second; measures memory over 1,000 pages. */
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { findChromium } from "@web-tester/loader/browser/find-chromium";
import { layOutCorpus } from "../corpus/lay-out.mjs";
import { serveCorpus } from "../corpus/serve.mjs";
import { installCrawlee } from "../crawl/install-crawlee.mjs";
import { memoryOf } from "../lib/processes.mjs";
import { reachablePages } from "../lib/reachable-pages.mjs";
import { markdownTable, median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { fetchPages, registerPages } from "./run-ours.mjs";
import { runRival } from "./run-rival.mjs";

const usage = `npm run bench -- fetch-browser [--site NAME] [--runs N] [--pages N] [--memory N]

Loads pages (100) of a documentation (postgresql-manual, whose pages hold no script; rust-docs: scripts build part of each) with the same Chromium and as many tabs N times (3) by each contestant, one after the
other in every round, and prints medians of pages per CPU second of the process trees, browsers included. Start-up and the first
page count for nobody. The fetcher stores what it loads, and each of its pages begins in an empty tab; the bare loop does neither.
--memory: then fetches that many pages (1000; 0: none) and compares the fetcher's memory, browser included, with that after 100.`;
const [ours, bare, crawlee] = ["web-tester's fetcher", "bare playwright-core, reused tabs", "@crawlee/playwright"];
const benches = fileURLToPath(new URL("..", import.meta.url));

/** @returns {Promise<boolean>} */
async function main() {
  const { values } = parseArgs({
    options: {
      site: { type: "string", default: "postgresql-manual" },
      runs: { type: "string", default: "3" },
      pages: { type: "string", default: "100" },
      memory: { type: "string", default: "1000" },
      help: { type: "boolean", default: false },
    },
  });
  const [runs, count, memory] = [Number(values.runs), Number(values.pages), Number(values.memory)];
  if (
    values.help ||
    !(runs >= 0 && runs <= 100) ||
    !(count >= 1 && count <= 1_000) ||
    !(memory >= 0 && memory <= 1_100)
  ) {
    console.log(usage);
    return values.help;
  }
  const signal = benchSignal((runs + 2) * 15 * 60_000);
  const [version] = (await layOutCorpus(values.site, { log: console.log })).values();
  if (version === undefined) throw new Error(`The table of corpora has no version of ${values.site}`);
  const { pages } = await reachablePages(version.root, version.index, Math.max(count, memory) + 1);
  const site = await serveCorpus({ roots: { [version.version]: version.root }, indexFile: basename(version.index) });
  const chromium = await findChromium(process.env["CHROMIUM_PATH"]);
  console.log(`Chromium: ${chromium.executablePath}`);
  const all = [...pages].map((path) => new URL(path, site.url).href);
  const urls = all.slice(0, count);
  const report = new Report(console.log);
  // as many tabs as the fetcher uses
  const tabs = Math.min(4, availableParallelism() + 1);
  try {
    await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async (product) => {
      if (runs > 0)
        await compare({ product, runs, urls, tabs, chromium, warm: all.at(-1) ?? "", site: site.url, report, signal });
      if (memory > 0) await watchMemory({ product, urls: all.slice(0, memory), site: site.url, report, signal });
    });
    return report.checks.every((check) => check.ok);
  } finally {
    await site.close();
  }
}

/** @param {{ product: import("../lib/stack.mjs").Product, runs: number, urls: string[], tabs: number, chromium: { executablePath: string, env: Record<string, string> }, warm: string, site: string, report: Report, signal: AbortSignal }} around */
async function compare({ product, runs, urls, tabs, chromium, warm, site, report, signal }) {
  const task = { ...chromium, urls, warm, tabs };
  const installed = await installCrawlee(console.log, "playwright").catch((error) => {
    console.log(`crawlee is left out: ${error instanceof Error ? error.message : error}`);
    return null;
  });
  const loader = join(benches, "..", "packages", "loader");
  const first = await registerPages(product, site, [warm]);
  await fetchPages(product, first, signal);
  const id = await registerPages(product, site, urls);
  /** @type {[string, () => Promise<import("./run-rival.mjs").Loaded>][]} */
  const contestants = [
    [ours, () => fetchPages(product, id, signal)],
    [bare, () => runRival("bare", { ...task, folder: loader }, signal)],
  ];
  if (installed !== null)
    contestants.push([crawlee, () => runRival("crawlee", { ...task, folder: installed.folder }, signal)]);
  /** @type {Map<string, import("./run-rival.mjs").Loaded[]>} */
  const results = new Map(contestants.map(([name]) => [name, []]));
  for (let round = 1; round <= runs; round += 1) {
    report.begin(`round ${round} of ${runs}`);
    for (const [name, run] of contestants) {
      const result = await run();
      results.get(name)?.push(result);
      report.equal(`pages of ${name}`, urls.length, result.pages);
      console.log(`    ${(result.pages / result.cpuSeconds).toFixed(2)} pages per CPU s`);
    }
  }
  const speed = (/** @type {string} */ name) =>
    median((results.get(name) ?? []).map(({ pages, cpuSeconds }) => pages / cpuSeconds));
  const rows = [...results].map(([name, list]) => [
    name,
    speed(name).toFixed(2),
    median(list.map(({ seconds }) => seconds)).toFixed(1),
  ]);
  console.log(`\n${markdownTable(["", "pages per CPU s", "s"], rows)}\n`);
  report.begin("aims");
  report.atLeast(`${ours}, as a multiple of ${bare}`, 0.8, speed(ours) / speed(bare), "×", { digits: 2 });
  if (installed !== null)
    report.atLeast(`${ours}, as a multiple of ${crawlee}`, 1.5, speed(ours) / speed(crawlee), "×", { digits: 2 });
}

/** @param {{ product: import("../lib/stack.mjs").Product, urls: string[], site: string, report: Report, signal: AbortSignal }} around */
async function watchMemory({ product, urls, site, report, signal }) {
  report.begin(`memory over ${urls.length} pages`);
  const id = await registerPages(product, site, urls);
  const fetcher = product.parts().find(({ name }) => name === "fetcher")?.pid ?? 0;
  /** @type {number[]} bytes, of samples around 100 pages and of the last ones */
  const early = [];
  /** @type {number[]} */
  const late = [];
  await fetchPages(product, id, signal, (completed) => {
    if (completed >= 80 && completed <= 140) early.push(memoryOf(fetcher));
    if (completed >= urls.length - 60) late.push(memoryOf(fetcher));
  });
  const mib = (/** @type {number[]} */ list) => median(list) / 2 ** 20;
  console.log(`    ${mib(early).toFixed(0)} MiB after 100 pages, ${mib(late).toFixed(0)} MiB after ${urls.length}`);
  report.below(`memory after ${urls.length} pages, as a multiple of that after 100`, 1.2, mib(late) / mib(early), "×", {
    digits: 2,
  });
}

const passed = await main().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.stack : error);
  return false;
});
process.exit(passed ? 0 : 1);
