// @ts-check
/** Crawls the PostgreSQL manual with the complete product, crawlee, scrapy and a bare loop, in pages per CPU second. */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { layOutCorpus } from "../corpus/lay-out.mjs";
import { runCommand } from "../corpus/run-command.mjs";
import { serveCorpus } from "../corpus/serve.mjs";
import { reachablePages } from "../lib/reachable-pages.mjs";
import { markdownTable, median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { installCrawlee } from "./install-crawlee.mjs";
import { runOurs } from "./run-ours.mjs";
import { runProgram } from "./run-program.mjs";

const usage = `npm run bench -- crawl [--runs N] [--concurrency N] [--only TEXT]

Crawls the PostgreSQL manual N times (3) with each contestant, one after the other in every round, all with the same
number of requests at once (8), and prints medians of pages per CPU second of their process trees. Start-up counts for
nobody, nor does the process that serves the pages. Ends with 1 when one of them visits other pages than those that links
lead to, or when an aim is missed. --only leaves out contestants without TEXT in their name.`;
const ours = "web-tester, own processes";
const oursInAll = "web-tester, with PostgreSQL and NATS";

/** @typedef {{ name: string, run: (url: string) => Promise<import("./run-program.mjs").CrawlResult> }} Contestant */

/** @param {string} name */
const beside = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * Returns the programs to compare with; a missing one is left out with a message.
 * @param {number} concurrency
 * @param {AbortSignal} signal
 * @returns {Promise<Contestant[]>}
 */
async function rivals(concurrency, signal) {
  const program = (/** @type {string} */ name, /** @type {string[]} */ command, /** @type {string[]} */ more = []) => ({
    name,
    run: (/** @type {string} */ url) =>
      runProgram([...command, JSON.stringify({ url, concurrency }), ...more], { url, concurrency }, signal),
  });
  const found = [
    program("bare undici + scanLinks", [process.execPath, beside("bare.mjs")], ["scanner"]),
    program("bare undici + htmlparser2", [process.execPath, beside("bare.mjs")]),
  ];
  try {
    const { folder, version } = await installCrawlee(console.log);
    found.push(program(`crawlee ${version}`, [process.execPath, beside("crawlee.mjs")], [folder]));
  } catch (error) {
    console.log(`crawlee is left out: ${error instanceof Error ? error.message : error}`);
  }
  const python = existsSync("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
  try {
    const version = await runCommand(python, ["-c", "import scrapy; print(scrapy.__version__)"], { timeoutMs: 60_000 });
    found.push(program(`scrapy ${version.trim()}`, [python, beside("scrapy-program.py")]));
  } catch {
    console.log("scrapy is left out: it is not installed (Debian: apt-get install python3-scrapy)");
  }
  return found;
}

/** @returns {Promise<boolean>} */
async function main() {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "3" },
      concurrency: { type: "string", default: "8" },
      only: { type: "string", default: "" },
      help: { type: "boolean", default: false },
    },
  });
  const [runs, concurrency] = [Number(values.runs), Number(values.concurrency)];
  if (values.help || !(runs >= 1 && runs <= 100) || !(concurrency >= 1 && concurrency <= 64)) {
    console.log(usage);
    return values.help;
  }
  const signal = benchSignal(runs * 10 * 60_000);
  const version = (await layOutCorpus("postgresql-manual", { log: console.log })).get("15");
  if (version === undefined) throw new Error("The table of corpora has no PostgreSQL manual 15");
  const { pages } = await reachablePages(version.root, version.index);
  const others = await rivals(concurrency, signal);
  const site = await serveCorpus({ roots: { [version.version]: version.root }, indexFile: version.index });
  const report = new Report(console.log);
  process.env["HOST_CONCURRENCY"] = String(concurrency);
  try {
    return await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async (product) => {
      const contestants = [
        { name: ours, run: (/** @type {string} */ url) => runOurs(product, url, signal) },
        ...others,
      ].filter(({ name }) => name.includes(values.only));
      /** @type {Map<string, import("./run-program.mjs").CrawlResult[]>} */
      const results = new Map(contestants.map(({ name }) => [name, []]));
      for (let round = 1; round <= runs; round += 1) {
        report.begin(`round ${round} of ${runs}`);
        for (const { name, run } of contestants) {
          site.resetStats();
          const result = await run(site.url + version.index);
          results.get(name)?.push(result);
          report.sameSet(`pages of ${name}`, pages, result.pages, "reachable by links");
          report.below(`requests at once of ${name}`, concurrency + 1, site.stats().maxInFlight, "requests", {
            must: true,
          });
        }
      }
      print(results, pages.size, report);
      return report.checks.every((check) => check.ok);
    });
  } finally {
    await site.close();
  }
}

/**
 * @param {ReadonlyMap<string, readonly import("./run-program.mjs").CrawlResult[]>} results
 * @param {number} pages
 * @param {Report} report
 */
function print(results, pages, report) {
  /** @type {Map<string, number>} pages per CPU second */
  const speeds = new Map();
  const rows = [...results].flatMap(([name, list]) => {
    const of = (/** @type {(result: import("./run-program.mjs").CrawlResult) => number} */ value) =>
      median(list.map(value));
    const line = (/** @type {string} */ label, /** @type {number} */ cpuSeconds) => {
      speeds.set(label, pages / cpuSeconds);
      return [label, (pages / cpuSeconds).toFixed(0), cpuSeconds.toFixed(2), of(({ seconds }) => seconds).toFixed(2)];
    };
    const own = line(
      name,
      of(({ ownCpuSeconds }) => ownCpuSeconds),
    );
    return name === ours
      ? [
          own,
          line(
            oursInAll,
            of(({ cpuSeconds }) => cpuSeconds),
          ),
        ]
      : [own];
  });
  console.log(`\n${markdownTable(["", "pages per CPU s", "CPU s", "s"], rows)}\n`);
  console.log(`${markdownTable(["part of web-tester", "CPU s", "peak MB"], partRows(results.get(ours) ?? []))}\n`);
  report.begin("aims");
  const crawlee = [...speeds.keys()].find((name) => name.startsWith("crawlee"));
  const scrapy = [...speeds.keys()].find((name) => name.startsWith("scrapy"));
  const aims = /** @type {const} */ ([
    [ours, crawlee, 3],
    [ours, scrapy, 4],
    [oursInAll, crawlee, 1.5],
  ]);
  for (const [one, other, least] of aims)
    if (other !== undefined && speeds.has(one))
      report.atLeast(
        `${one}, as a multiple of ${other}`,
        least,
        (speeds.get(one) ?? 0) / (speeds.get(other) ?? 1),
        "×",
        { digits: 2 },
      );
}

/** @param {readonly import("./run-program.mjs").CrawlResult[]} list */
function partRows(list) {
  const names = [...new Set(list.flatMap(({ use }) => use.map((part) => part.name)))];
  return names.map((name) => {
    const parts = list.flatMap(({ use }) => use.filter((part) => part.name === name));
    return [
      name,
      median(parts.map((part) => part.cpuSeconds)).toFixed(2),
      (Math.max(...parts.map((part) => part.peakBytes)) / 2 ** 20).toFixed(0),
    ];
  });
}

const passed = await main().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.stack : error);
  return false;
});
process.exit(passed ? 0 : 1);
