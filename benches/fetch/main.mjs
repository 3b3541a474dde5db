// @ts-check
/** Fetches a manual over HTTP with the product, a bare loop that stores the same, and crawlee, which stores nothing, in pages per CPU second. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { layOutCorpus } from "../corpus/lay-out.mjs";
import { serveCorpus } from "../corpus/serve.mjs";
import { installCrawlee } from "../crawl/install-crawlee.mjs";
import { runProgram } from "../crawl/run-program.mjs";
import { reachablePages } from "../lib/reachable-pages.mjs";
import { markdownTable, median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { fetchOnce } from "./run-ours.mjs";

const usage = `npm run bench -- fetch [--runs N] [--concurrency N]

Fetches the PostgreSQL manual N times (3) with the product in HTTP mode without assets, a bare loop of undici, SHA-256,
zstd-3 and one file per page, and @crawlee/http, one after the other in every round with the same number of requests at
once (8), and prints medians of pages per CPU second of their process trees. Every round stores everything anew. Aims:
the fetcher alone ≥ 60 % of the bare loop, all processes with PostgreSQL and NATS ≥ 1.2 × crawlee.`;
const bare = "bare loop";

/** @returns {Promise<boolean>} */
async function main() {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "3" },
      concurrency: { type: "string", default: "8" },
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
  const crawlee = await installCrawlee(console.log).catch((/** @type {unknown} */ error) => {
    console.log(`crawlee is left out: ${error instanceof Error ? error.message : error}`);
    return undefined;
  });
  const site = await serveCorpus({ roots: { [version.version]: version.root }, indexFile: version.index });
  const folder = await mkdtemp(join(tmpdir(), "web-tester-bench-"));
  const report = new Report(console.log);
  process.env["HOST_CONCURRENCY"] = String(concurrency);
  try {
    const list = join(folder, "urls.json");
    await writeFile(list, JSON.stringify([...pages].map((page) => site.url + page)));
    const rival = async (/** @type {string} */ name, /** @type {string[]} */ more) => {
      const program = fileURLToPath(new URL(name, import.meta.url));
      return runProgram(
        [process.execPath, program, JSON.stringify({ url: site.url, concurrency }), list, ...more],
        { url: site.url, concurrency },
        signal,
      );
    };
    /** @type {Map<string, number[]>} pages per CPU second */
    const speeds = new Map();
    const add = (/** @type {string} */ name, /** @type {number} */ count, /** @type {number} */ cpuSeconds) => {
      const speed = count / cpuSeconds;
      report.log(`  ${name}: ${speed.toFixed(0)} pages per CPU second`);
      speeds.set(name, [...(speeds.get(name) ?? []), speed]);
    };
    await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async (product) => {
      for (let round = 1; round <= runs; round += 1) {
        report.begin(`round ${round} of ${runs}`);
        const loop = await rival("bare.mjs", [join(folder, `objects-${round}`)]);
        report.equal("pages of the bare loop", pages.size, loop.pages.size, "reachable by links");
        add(bare, pages.size, loop.cpuSeconds);
        if (crawlee !== undefined) {
          const result = await rival("crawlee.mjs", [crawlee.folder]);
          report.equal("pages of crawlee", pages.size, result.pages.size, "reachable by links");
          add("crawlee", pages.size, result.cpuSeconds);
        }
        const ours = await fetchOnce(product, site.url + version.index, signal);
        report.equal("pages of the product", pages.size, ours.done, "reachable by links");
        for (const { name, cpuSeconds } of ours.use) add(`  ${name}`, pages.size, cpuSeconds);
        add("fetcher alone", pages.size, ours.use.find(({ name }) => name === "fetcher")?.cpuSeconds ?? Number.NaN);
        add(
          "all processes",
          pages.size,
          ours.use.reduce((sum, part) => sum + part.cpuSeconds, 0),
        );
      }
    });
    const medians = new Map([...speeds].map(([name, each]) => [name, median(each)]));
    const of = (/** @type {string} */ name) => medians.get(name) ?? Number.NaN;
    console.log(
      `\n${markdownTable(
        ["who", "pages per CPU second"],
        [...medians].map(([name, speed]) => [name, speed.toFixed(0)]),
      )}\n`,
    );
    report.begin("aims");
    report.atLeast("the fetcher alone beside the bare loop", 60, (100 * of("fetcher alone")) / of(bare), "%");
    if (crawlee !== undefined)
      report.atLeast("all processes beside crawlee", 1.2, of("all processes") / of("crawlee"), "times", { digits: 2 });
  } finally {
    await site.close();
    await rm(folder, { recursive: true, force: true });
  }
  return report.passed;
}

if (!(await main())) process.exitCode = 1;
