// @ts-check
import { loadavg } from "node:os";
import { launchBrowser } from "../lib/launch-browser.mjs";
import { median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { loadPairs } from "./load-pairs.mjs";
import { manualPages } from "./manual-pages.mjs";

const timeoutMs = 540_000;
const patienceMs = 60_000;
const rounds = 3;
const longLines = 20_000;
const instances = 1_143;
const turnPx = 1_500;
const turns = 120;
const nodesMax = 5_000;

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("../lib/stack.mjs").Product} Product */

/** Measures the screens for comparing in a real Chromium. */
export async function run() {
  const report = new Report(console.log);
  const signal = benchSignal(timeoutMs);
  const browser = await launchBrowser();
  try {
    await withProduct({ signal, log: console.log }, async (product) => {
      const open = async () => {
        const context = await browser.newContext({
          baseURL: product.address,
          viewport: { width: 1280, height: 800 },
          reducedMotion: "reduce",
        });
        const page = await context.newPage();
        page.setDefaultTimeout(patienceMs);
        return page;
      };
      console.log(`load of this machine: ${loadavg()[0]?.toFixed(1)}`);
      await longDiff(report, product, browser, open);
      await bulkDiff(report, product, browser, open);
      console.log(`load of this machine: ${loadavg()[0]?.toFixed(1)}`);
    });
  } finally {
    await browser.close();
  }
  return report.passed;
}

/**
 * Measures one diff of many lines, from opening its address to scrolling through it.
 * @param {Report} report
 * @param {Product} product
 * @param {Browser} browser
 * @param {() => Promise<Page>} open
 */
async function longDiff(report, product, browser, open) {
  report.begin(`a diff of ${longLines.toLocaleString("en-US")} lines, half of them changed`);
  const page = (/** @type {string} */ word) =>
    Buffer.from(
      Array.from(
        { length: longLines },
        (_, line) =>
          `<p class="${line % 2 === 0 ? "same" : word}">paragraph ${line} has some words in it, and ${line % 2 === 0 ? "more" : word}</p>`,
      ).join("\n"),
    );
  const [pair] = (await loadPairs(product, "long", [{ a: page("old"), b: page("new") }])).snapshots;
  if (pair === undefined) throw new Error("Nothing to compare");
  for (const view of ["unified", "split"]) {
    const shown = [];
    let nodes = 0;
    const longest = { cpu: 0, wall: 0 };
    const cpu = [];
    for (let round = 0; round < rounds; round++) {
      const tab = await open();
      const session = await tab.context().newCDPSession(tab);
      await session.send("Performance.enable", { timeDomain: "threadTicks" });
      await tab.goto(`/diff?a=${pair.a}&b=${pair.b}&view=${view}`, { waitUntil: "commit" });
      shown.push(await painted(tab, `section[aria-label="Differences"] [data-index]`));
      const { metrics } = await session.send("Performance.getMetrics");
      cpu.push(1000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN));
      await session.detach();
      await browser.startTracing(tab, { categories: ["toplevel", "devtools.timeline"] });
      await tab.mouse.move(640, 500);
      for (let turn = 0; turn < turns; turn++) {
        await tab.mouse.wheel(0, turnPx);
        await nextFrame(tab);
        if (turn % 10 === 0) nodes = Math.max(nodes, await countNodes(tab));
      }
      await tab.keyboard.press("End");
      await tab
        .getByText(`paragraph ${longLines - 1} has`)
        .first()
        .waitFor();
      nodes = Math.max(nodes, await countNodes(tab));
      const found = longestTask(await browser.stopTracing());
      longest.cpu = Math.max(longest.cpu, found.cpu);
      longest.wall = Math.max(longest.wall, found.wall);
      await tab.context().close();
    }
    console.log(
      `${view}: ${median(cpu).toFixed(0)} ms of the page's main thread until rows are there; longest task ${longest.wall.toFixed(0)} ms by the clock`,
    );
    report.below(`${view}: from the address to rows on the screen`, 1_500, median(shown), "ms");
    report.below(`${view}: DOM nodes at any time`, nodesMax, nodes, "nodes");
    report.below(`${view}: longest task while scrolling`, 100, longest.cpu, "ms of CPU");
  }
}

/**
 * Compares all pages of a manual with its next version.
 * @param {Report} report
 * @param {Product} product
 * @param {Browser} browser
 * @param {() => Promise<Page>} open
 */
async function bulkDiff(report, product, browser, open) {
  const { differing, identical } = await manualPages();
  const same = identical[0]?.a ?? differing[0]?.a ?? Buffer.from("<p>the same");
  const pairs = [...differing, ...Array.from({ length: instances - differing.length }, () => ({ a: same, b: same }))];
  report.begin(
    `bulk diff over ${instances.toLocaleString("en-US")} instances, ${differing.length.toLocaleString("en-US")} of which differ`,
  );
  const { objectId } = await loadPairs(product, "bulk", pairs);
  const address = `/diff/bulk?bulk=${objectId}&idx1=1&idx2=0`;
  const sinceRequest = async (/** @type {Page} */ tab) => {
    const shown = await painted(tab, `article [data-index]`);
    const asked = await tab.evaluate(
      () =>
        performance.getEntriesByType("resource").find(({ name }) => /\/api\/.*\/bulk-diff/.test(name))?.startTime ?? 0,
    );
    return shown - asked;
  };
  /** @type {number[]} */
  const byAddress = [];
  /** @type {number[]} */
  const byClick = [];
  for (let round = 0; round < rounds; round++) {
    const tab = await open();
    await tab.goto(address, { waitUntil: "commit" });
    byAddress.push(await sinceRequest(tab));
    await tab.goto(`/objects/${objectId}`);
    await tab.waitForLoadState("networkidle");
    await tab.getByRole("button", { name: "Open Bulk Diff" }).click();
    byClick.push(await sinceRequest(tab));
    await tab.context().close();
  }
  const first = "from the request to the first diff on the screen";
  report.below(`${first}, by a click in the application`, 500, median(byClick), "ms");
  report.below(`${first}, while the application itself is loaded`, 500, median(byAddress), "ms");

  const tab = await open();
  await tab.goto(address, { waitUntil: "commit" });
  await painted(tab, `article [data-index]`);
  await browser.startTracing(tab, { categories: ["toplevel", "devtools.timeline"] });
  await tab.mouse.move(800, 500);
  const end = tab.getByText(`All ${differing.length.toLocaleString("en-US")} changed pages shown`);
  let nodes = 0;
  const startedAt = performance.now();
  for (let turn = 0; (await end.count()) === 0; turn++) {
    if (performance.now() - startedAt > 4 * patienceMs) break;
    await tab.mouse.wheel(0, 20 * turnPx);
    await nextFrame(tab);
    if (turn % 20 === 0) nodes = Math.max(nodes, await countNodes(tab));
  }
  nodes = Math.max(nodes, await countNodes(tab));
  report.equal("pages to scroll to", differing.length, await tab.getByRole("article").count());
  console.log(
    `to the end in ${((performance.now() - startedAt) / 1000).toFixed(0)} s, ${nodes.toLocaleString("en-US")} DOM nodes at most`,
  );
  const longest = longestTask(await browser.stopTracing());
  console.log(`longest task ${longest.wall.toFixed(0)} ms by the clock`);
  report.below("longest task while scrolling", 100, longest.cpu, "ms of CPU");
  await tab.context().close();
}

/**
 * Returns the longest task of the page's main thread in a trace. On a busy machine, CPU time tells what the page needs, and wall time what it got.
 * @param {Buffer} trace
 * @returns {{ cpu: number, wall: number }} milliseconds
 */
function longestTask(trace) {
  /** @type {{ traceEvents: { name: string, ph: string, pid: number, tid: number, dur?: number, tdur?: number, args?: { name?: string } }[] }} */
  const { traceEvents } = JSON.parse(trace.toString("utf8"));
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid}:${tid}`),
  );
  let [cpu, wall] = [0, 0];
  for (const { name, pid, tid, dur = 0, tdur = 0 } of traceEvents) {
    if (!name.endsWith("RunTask") || !threads.has(`${pid}:${tid}`)) continue;
    cpu = Math.max(cpu, tdur / 1000);
    wall = Math.max(wall, dur / 1000);
  }
  if (wall === 0) throw new Error("The trace holds no task of the page");
  return { cpu, wall };
}

const countNodes = (/** @type {Page} */ tab) => tab.evaluate(() => document.querySelectorAll("*").length);

const nextFrame = (/** @type {Page} */ tab) =>
  tab.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));

/**
 * @param {Page} tab
 * @param {string} selector
 * @returns {Promise<number>} milliseconds from the navigation to the frame after such an element appears
 */
async function painted(tab, selector) {
  const handle = await tab.waitForFunction(
    (wanted) =>
      document.querySelector(wanted) !== null &&
      new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(performance.now())))),
    selector,
    { polling: "raf" },
  );
  return Number(await handle.jsonValue());
}
