// @ts-check
/**
 * Measures a documentation of 10,000 pages with default settings: crawl, first fetch, nothing changed, next release, with
 * files and search, compared with crawlee.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { corpusPackages } from "../corpus/packages.mjs";
import { layOutCorpus } from "../corpus/lay-out.mjs";
import { serveCorpus } from "../corpus/serve.mjs";
import { installCrawlee } from "../crawl/install-crawlee.mjs";
import { runProgram } from "../crawl/run-program.mjs";
import { reachablePages } from "../lib/reachable-pages.mjs";
import { markdownTable, median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { measureJob } from "./measure-job.mjs";

const sites = [...new Set(corpusPackages.map(({ site }) => site))];
const usage = `npm run bench -- defaults [--runs 3] [--site openjdk-docs] [--before 17] [--after 21] [--no-rival]

In every round starts the product anew with its defaults (files kept, search on), registers a documentation, crawls it, fetches all
pages four times (all new; nothing changed; nothing changed and no files; the next release), and lets @crawlee/http visit the same pages, which stores
nothing. Prints CPU seconds of every process, PostgreSQL and NATS included, from the request until the product is at rest again,
wall seconds until the run ended, the most memory of each process, and what is on the disk at the end. The server answers conditional requests.
Sites: ${sites.join(", ")}. Aims (openjdk-docs): crawl ≤ 20 s, first fetch ≤ 40 s, unchanged ≤ 8 s, without files ≤ 6 s, next
release ≤ 35 s, each process ≤ 300 MB, disk ≤ 250 MB; pages per CPU second ≥ 3, 1.5 and 7 times those of crawlee's crawl.`;

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    site: { type: "string", default: "openjdk-docs" },
    before: { type: "string", default: "17" },
    after: { type: "string", default: "21" },
    "no-rival": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
const runs = Number(values.runs);
if (values.help || !(runs >= 1 && runs <= 20) || !sites.includes(values.site)) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

/** The most CPU seconds for each piece of work; `times`: its pages per CPU second as a multiple of crawlee's. */
const aims = {
  crawl: { seconds: 20, times: 3 },
  "first fetch": { seconds: 40, times: 1.5 },
  "nothing changed": { seconds: 8, times: 7 },
  "nothing changed, no files": { seconds: 6, times: null },
  "next release": { seconds: 35, times: null },
};
const memoryMax = 300;
const diskMax = 250;
const concurrency = 8;

const signal = benchSignal(runs * 30 * 60_000);
const versions = await layOutCorpus(values.site, { log: console.log });
const [before, after] = [versions.get(values.before), versions.get(values.after)];
if (before === undefined || after === undefined)
  throw new Error(`There are the versions ${[...versions.keys()].join(", ")} of ${values.site}`);
const { pages } = await reachablePages(before.root, before.index);
const crawlee = values["no-rival"] ? null : await installCrawlee(console.log);
const folder = await mkdtemp(join(tmpdir(), "web-tester-bench-"));
const site = await serveCorpus({
  roots: { before: before.root, after: after.root },
  cover: `<!doctype html><title>Documentation</title><a href="${before.index}">Begin</a>`,
  etag: true,
});
const report = new Report(console.log);
/** @type {Map<string, number[]>} CPU seconds */
const spent = new Map();
/** @type {Map<string, number[]>} MB by process */
const memory = new Map();
/** @type {number[]} MB */
const disk = [];
const note = (/** @type {Map<string, number[]>} */ into, /** @type {string} */ key, /** @type {number} */ value) =>
  into.set(key, [...(into.get(key) ?? []), value]);

try {
  const address = site.url;
  const list = join(folder, "urls.json");
  await writeFile(list, JSON.stringify([...pages].map((page) => site.url + page)));
  for (let round = 1; round <= runs; round += 1) {
    report.begin(`round ${round} of ${runs}`);
    site.setVersion("before");
    if (crawlee !== null) {
      for (const [name, program, more] of /** @type {const} */ ([
        ["crawlee crawls", "../crawl/crawlee.mjs", [crawlee.folder]],
        ["crawlee fetches", "../fetch/crawlee.mjs", [list, crawlee.folder]],
      ])) {
        const file = fileURLToPath(new URL(program, import.meta.url));
        const task = { url: address, concurrency };
        const result = await runProgram([process.execPath, file, JSON.stringify(task), ...more], task, signal);
        note(spent, name, result.cpuSeconds);
        report.log(
          `  ${name}: ${result.cpuSeconds.toFixed(1)} s CPU, ${result.seconds.toFixed(1)} s, ${result.pages.size} pages`,
        );
      }
    }
    await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async (product) => {
      const found = await measureJob(product, { address, setVersion: site.setVersion, signal });
      for (const { name, seconds, use, counted } of found.steps) {
        const cpu = use.reduce((sum, part) => sum + part.cpuSeconds, 0);
        note(spent, name, cpu);
        const parts = use
          .toSorted((one, other) => other.cpuSeconds - one.cpuSeconds)
          .map(({ name: part, cpuSeconds, peakBytes, peakOwnBytes }) => {
            // a fetcher starts a browser where a page may need one, which gets its own line
            note(memory, part, peakOwnBytes / 1e6);
            if (part === "fetcher") note(memory, "fetcher with its browser", peakBytes / 1e6);
            return `${part} ${cpuSeconds.toFixed(1)} (${(peakOwnBytes / 1e6).toFixed(0)} MB, with its children ${(peakBytes / 1e6).toFixed(0)} MB)`;
          });
        report.log(`  ${name}: ${cpu.toFixed(1)} s CPU, ${seconds.toFixed(1)} s; ${parts.join(", ")}; ${counted}`);
      }
      const mb = (/** @type {number} */ bytes) => bytes / 1e6;
      disk.push(mb(found.databaseBytes + found.blobBytes));
      report.log(
        `  disk: database ${mb(found.databaseBytes).toFixed(0)} MB, objects ${mb(found.blobBytes).toFixed(0)} MB; ${found.tables
          .map(({ name, bytes }) => `${name} ${mb(bytes).toFixed(1)}`)
          .join(", ")}`,
      );
      for (const { scope, packs, textBytes, bodyBytes, filterBytes } of found.segments)
        report.log(
          `  searchable ${scope}: ${packs} packs, ${mb(textBytes).toFixed(0)} MB in ${mb(bodyBytes).toFixed(1)} MB, filters ${mb(filterBytes).toFixed(1)} MB`,
        );
    });
  }
} finally {
  await site.close();
  await rm(folder, { recursive: true, force: true });
}

const middle = (/** @type {readonly number[] | undefined} */ found) =>
  found === undefined ? Number.NaN : median(found);
console.log(
  `\n${markdownTable(
    ["work", "CPU seconds, median", "all rounds"],
    [...spent].map(([name, found]) => [name, middle(found).toFixed(1), found.map((one) => one.toFixed(1)).join(" ")]),
  )}\n`,
);
report.begin("aims");
for (const [name, { seconds, times }] of Object.entries(aims)) {
  const ours = middle(spent.get(name));
  report.below(name, seconds, ours, "s CPU", { digits: 1 });
  if (times === null || crawlee === null) continue;
  report.atLeast(`${name} beside crawlee's crawl`, times, middle(spent.get("crawlee crawls")) / ours, "times", {
    digits: 2,
  });
}
for (const [name, found] of memory)
  if (name === "fetcher with its browser") report.log(`memory of ${name}: at most ${Math.max(...found).toFixed(0)} MB`);
  else if (name !== "postgres") report.below(`memory of ${name}`, memoryMax, Math.max(...found), "MB");
report.below("disk", diskMax, middle(disk), "MB");
process.exitCode = report.passed ? 0 : 1;
