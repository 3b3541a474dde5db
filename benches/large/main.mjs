// @ts-check
/**
 * Measures an object of 100,000 pages with 20 snapshots each beside 500 others: the cost of the first and the last
 * fetches, and how long every screen waits, also while history is deleted.
 */
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { watchProcesses } from "../lib/processes.mjs";
import { markdownTable, median, Report } from "../lib/report.mjs";
import { askProduct } from "../search/ask-product.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";
import { questionsOf } from "./questions.mjs";
import { repeatFetch } from "./repeat-fetch.mjs";
import { rareWord, serveChangingSite } from "./serve-changing-site.mjs";

const usage = `npm run bench -- large [--pages 100000] [--fetches 20] [--real 6] [--objects 500] [--asks 40] [--keep-data]

Crawls a site that is made as it is asked for and fetches it again and again, 5 % of its pages changed each time (--real of the fetches; those in their middle are
made by SQL, as if nothing had changed); searching meanwhile; then asks what screens ask --asks times each, and goes on asking
while retention takes all but five snapshots of each page, and while the whole object is deleted. Aims: 95 of 100 answers within 300 ms, the last fetches as cheap as the
early ones and no part larger in memory than then (each within a quarter). Takes some 40 minutes on two processors.`;
const aimMs = 300;
const kept = 5;

/** @returns {Promise<boolean>} */
async function main() {
  const { values } = parseArgs({
    options: {
      pages: { type: "string", default: "100000" },
      fetches: { type: "string", default: "20" },
      real: { type: "string", default: "6" },
      objects: { type: "string", default: "500" },
      asks: { type: "string", default: "40" },
      "keep-data": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const [pages, fetches, real] = [Number(values.pages), Number(values.fetches), Number(values.real)];
  const [objects, asks] = [Number(values.objects), Number(values.asks)];
  if (
    values.help ||
    !(pages >= 100 && pages <= 100_000 && real >= 4 && fetches >= real && fetches <= 200 && objects >= 1 && asks >= 5)
  ) {
    console.log(usage);
    return values.help;
  }
  const signal = benchSignal(3 * 3600_000);
  const site = await serveChangingSite(pages, 0.05);
  const report = new Report(console.log);
  try {
    return await withProduct({ signal, log: console.log, keepData: values["keep-data"] }, async (product) => {
      const { rest } = product;
      for (let at = 1; at < objects; at += 1)
        await rest.call("createTestObject", { body: { name: `Small ${at}`, url: `https://small-${at}.example/` } });
      const { id } = await rest.call("createTestObject", { body: { name: "Handbook", url: site.url } });
      await rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http" } });
      report.begin(`crawl of ${pages} pages`);
      await run(product, id, "crawl", signal);
      const runId = await fetchAgain({ product, id, site, fetches, real, pages, report, signal });
      await sayDisk(product);
      const questions = await questionsOf(product, { id, runId, pages });
      report.begin("at rest");
      await askAll(questions, asks, report);
      await askWhileRetained({ product, id, questions, pages, report, signal });
      await askWhileDeleted({ product, id, report, signal });
      return report.checks.every(({ ok }) => ok);
    });
  } finally {
    await site.close();
  }
}

/**
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} id
 * @param {"crawl" | "snapshotAll"} kind
 * @param {AbortSignal} signal
 * @returns {Promise<{ runId: string, seconds: number, use: import("../lib/processes.mjs").PartUse[] }>} once nothing of it waits any more, search included
 */
async function run({ rest, database, parts }, id, kind, signal) {
  const watch = watchProcesses(parts);
  const startedAt = performance.now();
  try {
    const { runId } = await rest.call(kind, { params: { id } });
    if (runId === null) throw new Error("There is nothing to fetch");
    await waitFor(
      async () => {
        const { rows } = await database.query(
          `SELECT 1 FROM run WHERE id = $1 AND state <> 'running' AND NOT EXISTS (SELECT FROM change WHERE state = 'queued')
             AND NOT EXISTS (SELECT FROM search_entry WHERE pack_id IS NULL AND problem IS NULL)`,
          [runId],
        );
        return rows.length > 0 ? true : undefined;
      },
      { what: `the ${kind} ended`, timeoutMs: 3600_000, everyMs: 1_000, signal },
    );
    return { runId, seconds: (performance.now() - startedAt) / 1000, use: watch.stop() };
  } finally {
    watch.stop();
  }
}

/**
 * @param {{ product: import("../lib/stack.mjs").Product, id: string, site: import("./serve-changing-site.mjs").ChangingSite, fetches: number, real: number, pages: number, report: Report, signal: AbortSignal }} around
 * @returns {Promise<string>} the last run
 */
async function fetchAgain({ product, id, site, fetches, real, pages, report, signal }) {
  /** @type {{ rare: number[], common: number[] }} milliseconds of searches while fetches went on */
  const searched = { rare: [], common: [] };
  report.begin(`${fetches} fetches`);
  /** @type {{ seconds: number, cpu: number, use: import("../lib/processes.mjs").PartUse[] }[]} */
  const done = [];
  let runId = "";
  for (let fetched = 1; fetched <= real; fetched += 1) {
    if (fetched === real - 1) {
      await repeatFetch(product.database, id, runId, fetches - real);
      console.log(`    ${fetches - real} fetches were made by SQL`);
    }
    const changed = fetched === 1 ? pages : site.change();
    const stopSearching = fetched === 1 ? () => Promise.resolve() : searchOn(product, id, pages, searched);
    // the error of a search is reported only where the fetch itself did not fail
    const one = await run(product, id, "snapshotAll", signal).catch(async (error) => {
      await stopSearching().catch(() => {});
      throw error;
    });
    await stopSearching();
    runId = one.runId;
    const { rows } = await product.database.query("SELECT completed, failed, changed FROM run WHERE id = $1", [runId]);
    if (fetched > 1) report.equal(`changed pages of fetch ${fetched}`, changed, rows[0].changed);
    report.equal(`failed pages of fetch ${fetched}`, 0, rows[0].failed);
    done.push({ ...one, cpu: one.use.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0) });
    console.log(`    ${one.seconds.toFixed(0)} s, ${inWords(one.use)}`);
  }
  for (const [kind, boundMs] of /** @type {const} */ ([
    ["rare", 50],
    ["common", 100],
  ]))
    report.below(
      `search while fetches and their segments are made, ${kind}: median of ${searched[kind].length}`,
      boundMs,
      median(searched[kind]),
      "ms",
    );
  const [early, late] = [done.slice(1, -2), done.slice(-2)];
  const cpu = (/** @type {typeof done} */ some) => median(some.map((one) => one.cpu));
  report.below("CPU of the last fetches, as a multiple of that of the early ones", 1.25, cpu(late) / cpu(early), "×", {
    digits: 2,
  });
  for (const { name } of done[0]?.use ?? []) {
    const peak = (/** @type {typeof done} */ some) =>
      median(some.map(({ use }) => use.find((part) => part.name === name)?.peakBytes ?? 0));
    report.below(`memory of ${name} in the last fetches, likewise`, 1.25, peak(late) / peak(early), "×", { digits: 2 });
  }
  return runId;
}

/**
 * Searches twice a second, alternately for a word of one page (milliseconds to the whole answer) and for one of all pages
 * (milliseconds to the first results).
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} id
 * @param {number} pages
 * @param {{ rare: number[], common: number[] }} took the milliseconds of each search are added to it
 * @returns {() => Promise<void>} stops it
 */
function searchOn({ address }, id, pages, took) {
  const stopping = new AbortController();
  const work = (async () => {
    for (let turn = 0; !stopping.signal.aborted; turn += 1) {
      const kind = turn % 2 === 0 ? "rare" : "common";
      const q = kind === "rare" ? rareWord((turn * 7919) % pages, 0) : "handbook";
      const { firstMs, lastMs } = await askProduct(address, id, q);
      took[kind].push(kind === "rare" ? lastMs : firstMs);
      await setTimeout(500);
    }
  })();
  work.catch(() => {}); // reported where it is stopped
  return async () => {
    stopping.abort();
    await work;
  };
}

/** @param {import("../lib/processes.mjs").PartUse[]} use */
function inWords(use) {
  const total = use.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  const each = use.map(
    ({ name, cpuSeconds, peakBytes }) => `${name} ${cpuSeconds.toFixed(1)} s ${(peakBytes / 2 ** 20).toFixed(0)} MiB`,
  );
  return `${total.toFixed(1)} CPU s: ${each.join(", ")}`;
}

/** @param {import("../lib/stack.mjs").Product} product */
async function sayDisk({ database }) {
  const { rows } = await database.query(
    `SELECT relname AS name, pg_total_relation_size(oid)::float8 AS bytes, reltuples::float8 AS rows FROM pg_class
      WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 2 DESC LIMIT 8`,
  );
  const cells = rows.map(({ name, bytes, rows: count }) => [name, (bytes / 1e6).toFixed(0), String(count)]);
  console.log(`\n${markdownTable(["table", "MB with its indexes", "rows"], cells)}\n`);
}

/**
 * Asks every question once in each round.
 * @param {readonly import("./questions.mjs").Question[]} questions
 * @param {number} asks
 * @param {Report} report
 */
async function askAll(questions, asks, report) {
  /** @type {Map<string, number[]>} */
  const took = new Map(questions.map(({ name }) => [name, []]));
  for (let round = 0; round < asks; round += 1)
    for (const { name, ask } of questions) took.get(name)?.push(await timed(ask));
  for (const [name, list] of took) report.below(`${name}: 95 of 100 within`, aimMs, share(list, 0.95), "ms");
}

/**
 * @param {{ product: import("../lib/stack.mjs").Product, id: string, questions: readonly import("./questions.mjs").Question[], pages: number, report: Report, signal: AbortSignal }} around
 */
async function askWhileRetained({ product, id, questions, pages, report, signal }) {
  report.begin(`while retention takes all but ${kept} snapshots of each page`);
  await product.rest.call("updateTestObject", { params: { id }, body: { keep_snapshots: kept } });
  const asked = questions.filter(({ name }) => !name.startsWith("search") && !name.startsWith("which"));
  await askWhile(asked, report, signal, async () => {
    const { rows } = await product.database.query(
      "SELECT count(*)::int AS left FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1",
      [id],
    );
    console.log(`    ${rows[0].left} snapshots are left`);
    // labelled snapshots and the last accepted ones are kept
    return rows[0].left <= pages * (kept + 1);
  });
}

/** @param {{ product: import("../lib/stack.mjs").Product, id: string, report: Report, signal: AbortSignal }} around */
async function askWhileDeleted({ product, id, report, signal }) {
  report.begin("while the object is deleted");
  const { rest, database } = product;
  await rest.call("deleteTestObject", { params: { id }, query: { undo_s: 0 } });
  const questions = [
    { name: "home: all objects", ask: () => rest.call("listTestObjects") },
    { name: "home: days of all objects", ask: () => rest.call("listAllDays", { query: {} }) },
  ];
  await askWhile(questions, report, signal, async () => {
    const { rows } = await database.query("SELECT reltuples FROM pg_class WHERE relname = 'test_snapshot'");
    const { rows: left } = await database.query("SELECT EXISTS (SELECT FROM test_snapshot) AS some");
    console.log(`    ${left[0].some ? `some of ${rows[0].reltuples} snapshots are` : "no snapshot is"} left`);
    return !left[0].some;
  });
}

/**
 * @param {readonly import("./questions.mjs").Question[]} questions
 * @param {Report} report
 * @param {AbortSignal} signal
 * @param {() => Promise<boolean>} isDone asked every ten seconds
 */
async function askWhile(questions, report, signal, isDone) {
  /** @type {number[]} */
  const took = [];
  const startedAt = performance.now();
  let slowest = { name: "", ms: 0 };
  for (let lookAt = 0; ;) {
    if (performance.now() >= lookAt) {
      if (await isDone()) break;
      lookAt = performance.now() + 10_000;
    }
    for (const { name, ask } of questions) {
      signal.throwIfAborted();
      const ms = await timed(ask);
      took.push(ms);
      if (ms > slowest.ms) slowest = { name, ms };
    }
  }
  const seconds = (performance.now() - startedAt) / 1000;
  console.log(
    `    ${seconds.toFixed(0)} s, ${took.length} answers, slowest: ${slowest.name}, ${slowest.ms.toFixed(0)} ms`,
  );
  if (took.length > 0) report.below("95 of 100 answers within", aimMs, share(took, 0.95), "ms");
}

/** @param {() => Promise<unknown>} ask @returns {Promise<number>} milliseconds */
async function timed(ask) {
  const startedAt = performance.now();
  await ask();
  return performance.now() - startedAt;
}

/** @param {readonly number[]} list @param {number} part */
function share(list, part) {
  return list.toSorted((a, b) => a - b)[Math.ceil(list.length * part) - 1] ?? Number.NaN;
}

const passed = await main().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.stack : error);
  return false;
});
process.exit(passed ? 0 : 1);
