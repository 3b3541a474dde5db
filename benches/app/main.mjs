// @ts-check
/** Measures the application in a real Chromium with large data: a home page of many objects, a list of many instances, and many events. */
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openBus } from "@web-tester/platform/bus/open-bus";
import { launchBrowser } from "../lib/launch-browser.mjs";
import { median, Report } from "../lib/report.mjs";
import { scriptBytes } from "../lib/script-bytes.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";

const usage = `npm run bench -- app [--objects 200] [--instances 100000] [--scrolled 20000] [--rate 50] [--seconds 20] [--runs 5]

Opens the home page with --objects test objects --runs times, scrolls a list of --instances to its row --scrolled, and has --rate
progress events a second arrive for --seconds on the home page. CHROMIUM_PATH names the browser, else an installed one is taken.
Aims: home usable in < 1 s, memory of the list constant, no task of the page over 100 ms while events arrive.`;

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "200" },
    instances: { type: "string", default: "100000" },
    scrolled: { type: "string", default: "20000" },
    rate: { type: "string", default: "50" },
    seconds: { type: "string", default: "20" },
    runs: { type: "string", default: "5" },
    help: { type: "boolean", default: false },
  },
});
const [objects = 0, instances = 0, scrolled = 0, rate = 0, seconds = 0, runs = 0] = [
  values.objects,
  values.instances,
  values.scrolled,
  values.rate,
  values.seconds,
  values.runs,
].map(Number);
if (values.help || !(objects > 0 && instances > 0 && scrolled > 0 && rate > 0 && seconds > 0 && runs > 0)) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

const mebi = 1024 * 1024;
const settleMs = 1_000;
/** The number of times that the heap is measured while scrolling. */
const looks = 4;
const signal = benchSignal(20 * 60_000);
const report = new Report(console.log);

const browser = await launchBrowser();
try {
  await withProduct({ signal, log: console.log }, async ({ address, addresses, database }) => {
    const { ids, large } = await fill(database);
    await measureHome(address);
    await measureEvents(address, addresses.NATS_URL, await startRuns(database, ids.slice(0, rate)));
    await measureList(address, large);
  });
} finally {
  await browser.close();
}
process.exitCode = report.passed ? 0 : 1;

/**
 * Inserts objects with 50 pages and 12 finished runs each, every seventh page changed and every fiftieth failed; and one large object.
 * @param {import("pg").Client} database
 */
async function fill(database) {
  const { rows } = await database.query(
    `INSERT INTO test_object (name, url) SELECT 'Site ' || n, 'https://site-' || n || '.example/' FROM generate_series(1, $1::int) AS n RETURNING id`,
    [objects],
  );
  const ids = rows.map(({ id }) => id);
  await database.query(
    `INSERT INTO test_instance (test_object_id, url, name, status)
     SELECT o.id, o.url || 'page-' || n || '.html', 'Page ' || n, CASE WHEN n % 50 = 0 THEN 'failed' WHEN n % 7 = 0 THEN 'changed' ELSE 'unchanged' END
     FROM test_object o CROSS JOIN generate_series(1, 50) AS n`,
  );
  await database.query(
    `INSERT INTO run (test_object_id, kind, state, total, completed, failed, changed, finished_at)
     SELECT o.id, 'snapshot-all', 'finished', 50, 50, 1, n % 8, now() FROM test_object o CROSS JOIN generate_series(1, 12) AS n`,
  );
  const {
    rows: [{ id: large }],
  } = await database.query(
    `INSERT INTO test_object (name, url) VALUES ('A large site', 'https://large.example/') RETURNING id`,
  );
  await database.query(
    `INSERT INTO test_instance (test_object_id, url, name, status)
     SELECT $1, 'https://large.example/chapter-' || n / 100 || '/page-' || n || '.html', 'Page ' || n, 'unchanged' FROM generate_series(1, $2::int) AS n`,
    [large, instances],
  );
  await database.query("ANALYZE");
  return { ids, large };
}

/** @param {string} address */
async function openPage(address) {
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width: 1280, height: 900 },
    locale: "en-GB",
  });
  const page = await context.newPage();
  await page.addInitScript(watchPage);
  return page;
}

/** Runs in the page before its own scripts: records when the first row is there, and every task over 50 ms. */
function watchPage() {
  const seen = { firstRowMs: 0, longTasks: /** @type {number[]} */ ([]) };
  Object.assign(globalThis, { seen });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.longTasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
  const looking = new MutationObserver(() => {
    if (document.querySelector("main [role=listitem], main li, main article") === null) return;
    looking.disconnect();
    requestAnimationFrame(() => setTimeout(() => (seen.firstRowMs = performance.now())));
  });
  looking.observe(document, { childList: true, subtree: true });
}

/** @typedef {{ firstRowMs: number, longTasks: number[] }} Seen */
/**
 * @param {import("playwright-core").Page} page
 * @returns {Promise<Seen>}
 */
function seenBy(page) {
  return page.evaluate(() => /** @type {{ seen: Seen }} */ (/** @type {unknown} */ (globalThis)).seen);
}

/** @param {string} address */
async function measureHome(address) {
  report.begin(`home with ${objects + 1} objects, ${runs} times, nothing cached`);
  const usable = [];
  const longest = [];
  for (let run = 0; run < runs; run++) {
    const page = await openPage(address);
    // the browser ends the process of the round before and starts the next one; nobody opens a page within that second
    await wait(settleMs);
    await page.goto("/");
    await page.waitForFunction(() => /** @type {any} */ (globalThis).seen.firstRowMs > 0);
    // usable once the main thread is free: this resolves then
    await page.getByRole("button", { name: "Create" }).click({ trial: true });
    const { firstRowMs, longTasks } = await seenBy(page);
    usable.push(firstRowMs);
    longest.push(Math.max(0, ...longTasks));
    await page.context().close();
  }
  report.below("rows stand and the main thread is free after", 1_000, median(usable), "ms");
  console.log(
    `  longest task ${median(longest).toFixed(0)} ms; each: ${usable.map((ms) => ms.toFixed(0)).join(", ")} ms`,
  );
  const { first, all } = await scriptBytes();
  report.below("JavaScript before lazy parts, gzip", 200_000, first, "bytes", { must: true });
  console.log(`  all scripts of the build: ${all} bytes gzip`);
}

/** @typedef {{ id: string, objectId: string }} Run */
/**
 * Inserts runs that are in progress, as far as the database knows.
 * @param {import("pg").Client} database
 * @param {string[]} objectIds
 * @returns {Promise<Run[]>}
 */
async function startRuns(database, objectIds) {
  const { rows } = await database.query(
    `INSERT INTO run (test_object_id, kind, state, total) SELECT o, 'snapshot-all', 'running', $2 FROM unnest($1::uuid[]) AS o
     RETURNING id, test_object_id AS "objectId"`,
    [objectIds, Math.ceil((rate * seconds) / objectIds.length) + 1],
  );
  return rows;
}

/**
 * @param {string} address
 * @param {string} natsUrl
 * @param {Run[]} under
 */
async function measureEvents(address, natsUrl, under) {
  report.begin(`${rate} progress events a second for ${seconds} s, of ${under.length} objects in turn`);
  const bus = await openBus(natsUrl, { name: "bench", hostConcurrency: 1, onError: () => undefined });
  const page = await openPage(address);
  try {
    await page.goto("/");
    await page.waitForFunction(() => /** @type {any} */ (globalThis).seen.firstRowMs > 0);
    await wait(2_000);
    const before = (await seenBy(page)).longTasks.length;
    const total = Math.ceil((rate * seconds) / under.length) + 1;
    const began = performance.now();
    for (let n = 0; n < rate * seconds; n++) {
      signal.throwIfAborted();
      const ahead = began + (n * 1000) / rate - performance.now();
      if (ahead > 0) await wait(ahead);
      const one = under[n % under.length];
      if (one === undefined) throw new Error("No run is under way");
      const completed = Math.floor(n / under.length) + 1;
      bus.publishEvent({
        type: "fetch:progress",
        testobjectId: one.objectId,
        runId: one.id,
        total,
        completed,
        failed: 0,
        changed: 0,
        running: true,
      });
    }
    const last = Math.floor((rate * seconds - 1) / under.length) + 1;
    const moved = page.getByText(new RegExp(` ${last} / ${total}$`));
    // a client gets ten events a second: the last one of each object takes as many tenths of a second as there are objects
    for (let tenth = 0; tenth < under.length + 20 && (await moved.count()) < under.length; tenth++) await wait(100);
    const during = (await seenBy(page)).longTasks.slice(before);
    report.equal("rows that show their last event", under.length, await moved.count());
    report.below("longest task meanwhile", 100, Math.max(0, ...during), "ms");
    console.log(`  ${during.length} tasks over 50 ms`);
  } finally {
    await page.context().close();
    await bus.close();
  }
}

/**
 * @param {string} address
 * @param {string} id
 */
async function measureList(address, id) {
  report.begin(`a list of ${instances} instances, scrolled to row ${scrolled}`);
  const page = await openPage(address);
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  await page.goto(`/objects/${id}`);
  const rows = page.getByRole("list", { name: "Instances" }).getByRole("listitem");
  await rows.first().waitFor();
  /** @type {number[]} */
  const heaps = [];
  /** @type {number[]} */
  const nodes = [];
  for (let look = 1; look <= looks; look++) {
    const goal = (scrolled / looks) * look;
    while (Number(await rows.last().getAttribute("aria-posinset")) < goal) {
      signal.throwIfAborted();
      await page.evaluate(() => window.scrollTo({ top: document.documentElement.scrollHeight }));
      await wait(15);
    }
    await wait(500);
    await session.send("HeapProfiler.collectGarbage");
    const { metrics } = await session.send("Performance.getMetrics");
    const of = (/** @type {string} */ name) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    heaps.push(of("JSHeapUsedSize") / mebi);
    nodes.push(of("Nodes"));
    console.log(`  row ${goal}: heap ${heaps.at(-1)?.toFixed(1)} MiB, ${nodes.at(-1)} nodes`);
  }
  const [first = 1] = heaps;
  report.below("heap at the last look beside the first", 1.2, (heaps.at(-1) ?? 0) / first, "times", { digits: 2 });
  report.below("nodes of the page", 5_000, nodes.at(-1) ?? 0, "nodes");
  await page.context().close();
}
