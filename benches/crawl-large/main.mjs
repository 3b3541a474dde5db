// @ts-check
/** Crawls a synthetic site of 100,000 pages: pages per CPU second, and memory of every part, in each tenth of the crawl. */
import { parseArgs } from "node:util";
import { watchProcesses } from "../lib/processes.mjs";
import { markdownTable, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";
import { serveLargeSite } from "./serve-large-site.mjs";

const usage = `npm run bench -- crawl-large [--pages N]

Crawls a site of N (100000) pages that are made as they are asked for. Ends with 1 when a page is missing, when a worker
needs 250 MB, or when the last tenth of the crawl does less than 90 % of the first one's pages per CPU second, all parts of
the product counted, PostgreSQL and NATS among them.`;
const tenths = 10;
const workerMaxMb = 250;
const leastShare = 0.9;

/**
 * @typedef {object} Tenth
 * @property {number} pages
 * @property {number} seconds
 * @property {import("../lib/processes.mjs").PartUse[]} use
 */

/** @returns {Promise<boolean>} */
async function main() {
  const { values } = parseArgs({
    options: { pages: { type: "string", default: "100000" }, help: { type: "boolean", default: false } },
  });
  const pages = Number(values.pages);
  if (values.help || !(pages >= 100 && pages <= 100_000)) {
    console.log(usage);
    return values.help;
  }
  const signal = benchSignal(3 * 3600_000);
  const site = await serveLargeSite(pages);
  const report = new Report(console.log);
  try {
    return await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async (product) => {
      const { id } = await product.rest.call("createTestObject", { body: { name: "Large site", url: site.url } });
      const { runId } = await product.rest.call("crawl", { params: { id } });
      report.begin(`crawl of ${pages} pages`);
      const done = [];
      for (let at = 0, tenth = 1; tenth <= tenths; tenth += 1) {
        const one = await measureTenth(product, runId, at, (pages * tenth) / tenths, signal);
        at += one.pages;
        done.push(one);
        console.log(`    ${at} of ${pages} pages, ${speedOf(one).toFixed(0)} pages per CPU second`);
      }
      const { rows } = await product.database.query(
        "SELECT (SELECT count(*)::int FROM test_instance WHERE test_object_id = $2) AS instances, (SELECT failed FROM run WHERE id = $1) AS failed",
        [runId, id],
      );
      console.log(`\n${table(done)}\n`);
      report.begin("aims");
      report.equal("pages found", pages, rows[0].instances);
      report.equal("failures", 0, rows[0].failed);
      check(done, report);
      return report.checks.every((one) => one.ok);
    });
  } finally {
    await site.close();
  }
}

/**
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} runId
 * @param {number} from pages done before
 * @param {number} to pages done at its end, or a few more
 * @param {AbortSignal} signal
 * @returns {Promise<Tenth>}
 */
async function measureTenth(product, runId, from, to, signal) {
  const watch = watchProcesses(() => product.parts());
  const startedAt = performance.now();
  try {
    const completed = await waitFor(
      async () => {
        const { rows } = await product.database.query("SELECT completed, state FROM run WHERE id = $1", [runId]);
        return rows[0].completed >= to || rows[0].state !== "running" ? Number(rows[0].completed) : undefined;
      },
      { what: `${to} pages`, timeoutMs: 1800_000, everyMs: 100, signal },
    );
    return { pages: completed - from, seconds: (performance.now() - startedAt) / 1000, use: watch.stop() };
  } finally {
    watch.stop();
  }
}

/** @param {Tenth} tenth */
function speedOf({ pages, use }) {
  return pages / use.reduce((sum, part) => sum + part.cpuSeconds, 0);
}

/** @param {readonly Tenth[]} done */
function table(done) {
  const names = done[0]?.use.map((part) => part.name) ?? [];
  const megabytes = (/** @type {Tenth} */ { use }, /** @type {string} */ name) =>
    ((use.find((part) => part.name === name)?.peakBytes ?? 0) / 2 ** 20).toFixed(0);
  const cpu = (/** @type {Tenth} */ { use }, /** @type {string} */ name) =>
    (use.find((part) => part.name === name)?.cpuSeconds ?? 0).toFixed(1);
  return markdownTable(
    ["tenth", "pages", "s", "pages per CPU s", ...names.map((name) => `${name}, CPU s / MB`)],
    done.map((tenth, index) => [
      String(index + 1),
      String(tenth.pages),
      tenth.seconds.toFixed(0),
      speedOf(tenth).toFixed(0),
      ...names.map((name) => `${cpu(tenth, name)} / ${megabytes(tenth, name)}`),
    ]),
  );
}

/** @param {readonly Tenth[]} done @param {Report} report */
function check(done, report) {
  const [first, last] = [done[0], done.at(-1)];
  if (first === undefined || last === undefined) return;
  report.atLeast(
    "pages per CPU second of the last tenth, as a share of the first",
    leastShare,
    speedOf(last) / speedOf(first),
    "",
    { digits: 2 },
  );
  for (const { name } of last.use.filter((part) => part.name !== "postgres" && part.name !== "nats")) {
    const peaks = done.map(({ use }) => (use.find((part) => part.name === name)?.peakBytes ?? 0) / 2 ** 20);
    report.below(`peak memory of ${name}`, workerMaxMb, Math.max(...peaks), "MB");
  }
}

const passed = await main().catch((/** @type {unknown} */ error) => {
  console.error(error instanceof Error ? error.stack : error);
  return false;
});
process.exit(passed ? 0 : 1);
