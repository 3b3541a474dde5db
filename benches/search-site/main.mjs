// @ts-check
/** Measures searches over a documentation site with random phrases, at rest and while its pages are being fetched and made searchable. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { layOutCorpus } from "../corpus/lay-out.mjs";
import { corpusPackages } from "../corpus/packages.mjs";
import { serveCorpus } from "../corpus/serve.mjs";
import { watchProcesses } from "../lib/processes.mjs";
import { reachablePages } from "../lib/reachable-pages.mjs";
import { median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";
import { askProduct } from "../search/ask-product.mjs";
import { searchSizes } from "../search/load.mjs";
import { askRipgrep, hasRipgrep } from "../search/rivals.mjs";
import { choosePhrases } from "./choose-phrases.mjs";

const sites = [...new Set(corpusPackages.map(({ site }) => site))];
const usage = `npm run bench -- search-site [--site openjdk-docs] [--before 17] [--after 21] [--phrases 48] [--seed 1] [--no-asking] [--no-release] [--keep-data]

Registers a documentation with the product's defaults and fetches it twice (two releases); meanwhile asks for a rare phrase and for a common one, 150 ms
apart, until all is searchable; then asks for each phrase at rest. Phrases are taken by lot from the pages (--seed): rare ones are on at most 3 % of the pages.
Counts are held against ripgrep's. --no-asking asks only at rest, and shows what the making of the index costs by itself. Sites: ${sites.join(", ")}.`;

const { values } = parseArgs({
  options: {
    site: { type: "string", default: "openjdk-docs" },
    before: { type: "string", default: "17" },
    after: { type: "string", default: "21" },
    phrases: { type: "string", default: "48" },
    seed: { type: "string", default: "1" },
    "no-asking": { type: "boolean", default: false },
    "no-release": { type: "boolean", default: false },
    "keep-data": { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help || !sites.includes(values.site) || !(Number(values.phrases) >= 4)) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}
if (!(await hasRipgrep())) throw new Error("ripgrep is needed to choose phrases and to count: apt-get install ripgrep");

const aims = { rareMs: 50, commonMs: 100 };
const pauseMs = 150;
const restRounds = 3;
const signal = benchSignal(60 * 60_000);
const versions = await layOutCorpus(values.site, { log: console.log });
const [before, after] = [versions.get(values.before), versions.get(values.after)];
if (before === undefined || after === undefined)
  throw new Error(`There are the versions ${[...versions.keys()].join(", ")} of ${values.site}`);
const { pages } = await reachablePages(before.root, before.index);
const phrases = await choosePhrases(before.root, [...pages], {
  rare: Number(values.phrases),
  seed: Number(values.seed),
});
const rare = phrases.filter(({ isRare }) => isRare);
const common = [...phrases.filter(({ isRare }) => !isRare).slice(0, 12), ...fixedCommon()];
const cover = `<!doctype html><title>Documentation</title><a href="${before.index}">Begin</a>`;
const site = await serveCorpus({ roots: { before: before.root, after: after.root }, cover, etag: true });
const report = new Report(console.log);

try {
  await withProduct(
    { signal, keepData: values["keep-data"], log: (line) => console.log(`    ${line}`) },
    async (product) => {
      const { rest } = product;
      const { id } = await rest.call("createTestObject", { body: { name: "Searched", url: site.url } });
      await finished(product, (await rest.call("crawl", { params: { id } })).runId);
      console.log(`${pages.size} pages; ${rare.length} rare phrases, ${common.length} common ones`);
      await fetchAndAsk(product, id, "first fetch");
      if (!values["no-release"]) {
        site.setVersion("after");
        await fetchAndAsk(product, id, "next release");
      }
      await askAtRest(product, id);
      await checkCounts(product, id);
    },
  );
} finally {
  await site.close();
}
process.exitCode = report.passed ? 0 : 1;

/**
 * Fetches all pages and searches until they are searchable.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} id
 * @param {string} name
 */
async function fetchAndAsk(product, id, name) {
  report.begin(name);
  const watch = watchProcesses(product.parts);
  const began = performance.now();
  const { runId } = await product.rest.call("snapshotAll", { params: { id } });
  const asked = values["no-asking"] ? null : askUntil(product, id, () => isSearchable(product, runId));
  await waitFor(async () => ((await isSearchable(product, runId)) ? true : undefined), {
    ...{ what: name, timeoutMs: 20 * 60_000, everyMs: 500, signal },
  });
  const found = await asked;
  const use = watch.stop();
  console.log(
    `  all searchable after ${((performance.now() - began) / 1000).toFixed(1)} s; CPU s: ${use.map((part) => `${part.name} ${part.cpuSeconds.toFixed(1)}`).join(", ")}`,
  );
  if (found === null) return;
  report.below(`rare while it is ${name}, median`, aims.rareMs, median(found.rareMs), "ms");
  report.below(`common first results while it is ${name}, median`, aims.commonMs, median(found.commonMs), "ms");
  report.log(
    `  rare 95 %: ${quantile(found.rareMs, 0.95).toFixed(0)} ms, common 95 %: ${quantile(found.commonMs, 0.95).toFixed(0)} ms, of ${found.rareMs.length} rounds`,
  );
  report.log(
    `  contents that waited for a pack: median ${median(found.waiting)}, at most ${Math.max(...found.waiting)}`,
  );
  report.equal(`answers that were not complete while it is ${name}`, 0, found.partial);
}

/**
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} id
 * @param {() => Promise<boolean>} isOver
 */
async function askUntil({ address, database }, id, isOver) {
  /** @type {{ rareMs: number[], commonMs: number[], partial: number, waiting: number[] }} */
  const found = { rareMs: [], commonMs: [], partial: 0, waiting: [] };
  for (let round = 0; !(await isOver()); round += 1) {
    for (const { phrase, isRare } of [rare[round % rare.length], common[round % common.length]].flatMap(
      (one) => one ?? [],
    )) {
      const answer = await askProduct(address, id, phrase);
      (isRare ? found.rareMs : found.commonMs).push(isRare ? answer.lastMs : answer.firstMs);
      if (answer.partial !== null) found.partial += 1;
    }
    const { rows } = await database.query(
      "SELECT count(*)::int AS n FROM search_entry WHERE pack_id IS NULL AND problem IS NULL",
    );
    found.waiting.push(rows[0].n);
    await sleep(pauseMs, undefined, { signal });
  }
  return found;
}

/** @param {import("../lib/stack.mjs").Product} product @param {string} id */
async function askAtRest({ address, database, parts }, id) {
  report.begin("at rest");
  // packs are merged for some more seconds
  const isAtRest = async () => {
    const watch = watchProcesses(parts);
    await sleep(3_000, undefined, { signal });
    return watch.stop().reduce((sum, part) => sum + part.cpuSeconds, 0) < 0.3 ? true : undefined;
  };
  await waitFor(isAtRest, { what: "rest", timeoutMs: 5 * 60_000, signal });
  const sizes = await searchSizes(database);
  console.log(`  ${sizes.packs} packs: text ${mb(sizes.text)} MB, filters ${mb(sizes.index)} MB`);
  /** @type {Map<string, { ms: number[], cpu: number[] }>} */
  const byKind = new Map();
  for (const { phrase, kind, isRare, pages: found } of [...rare, ...common]) {
    /** @type {number[]} */
    const took = [];
    const watch = watchProcesses(() => parts().filter(({ name }) => name === "gateway" || name === "postgres"));
    for (let round = 0; round < restRounds; round += 1) {
      const answer = await askProduct(address, id, phrase);
      took.push(isRare ? answer.lastMs : answer.firstMs);
    }
    const cpu = watch.stop().reduce((sum, part) => sum + part.cpuSeconds, 0) / restRounds;
    const key = isRare ? `rare, ${kind}` : "common, first results";
    const row = byKind.get(key) ?? { ms: [], cpu: [] };
    byKind.set(key, { ms: [...row.ms, median(took)], cpu: [...row.cpu, cpu * 1_000] });
    report.log(
      `  ${JSON.stringify(phrase)} on ${found} pages: ${median(took).toFixed(1)} ms, ${(cpu * 1_000).toFixed(0)} CPU ms`,
    );
  }
  for (const [key, { ms, cpu }] of byKind) {
    const aim = key.startsWith("rare") ? aims.rareMs : aims.commonMs;
    report.below(`${key}, median`, aim, median(ms), "ms", { digits: 1 });
    report.below(`${key}, 90 %`, aim, quantile(ms, 0.9), "ms", { digits: 1 });
    report.log(`  ${key}: CPU ms median ${median(cpu).toFixed(0)}, 90 % ${quantile(cpu, 0.9).toFixed(0)}`);
  }
}

/**
 * Checks that the totals of the product equal ripgrep's counts over all snapshots of the pages.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} id
 */
async function checkCounts({ database, rest }, id) {
  report.begin("counts");
  const { rows } = await database.query(
    `SELECT encode(s.content_hash, 'hex') AS hash, count(*)::int AS snapshots FROM test_snapshot s WHERE s.state = 'done' GROUP BY 1`,
  );
  const snapshotsOf = new Map(rows.map(({ hash, snapshots }) => [hash, snapshots]));
  for (const { phrase } of [...rare, ...common]) {
    // the cover page is not a file
    let matches = (cover.toLowerCase().split(phrase.toLowerCase()).length - 1) * (snapshotsOf.get(sha256(cover)) ?? 0);
    /** @type {Set<string>} */
    const seen = new Set();
    for (const root of values["no-release"] ? [before?.root] : [before?.root, after?.root]) {
      if (root === undefined) continue;
      const { counts } = await askRipgrep(root, phrase);
      for (const [path, count] of counts) {
        if (!path.endsWith(".html")) continue;
        const hash = sha256(await readFile(join(root, path)));
        if (!seen.has(hash)) matches += count * (snapshotsOf.get(hash) ?? 0);
        seen.add(hash);
      }
    }
    const said = await rest.call("searchSummary", { query: { q: phrase, testobject_id: id } });
    report.equal(`matches of ${JSON.stringify(phrase)}`, matches, said.matches, "ripgrep");
  }
}

/** @param {import("../lib/stack.mjs").Product} product @param {string | null} runId */
async function isSearchable({ database }, runId) {
  const { rows } = await database.query(
    `SELECT (SELECT count(*) FROM run WHERE id = $1 AND state = 'running') + (SELECT count(*) FROM change WHERE state = 'queued')
       + (SELECT count(*) FROM search_entry WHERE pack_id IS NULL AND problem IS NULL) AS n`,
    [runId],
  );
  return Number(rows[0].n) === 0;
}

/** @param {import("../lib/stack.mjs").Product} product @param {string | null} runId */
async function finished({ database }, runId) {
  const ended = async () =>
    (await database.query("SELECT 1 FROM run WHERE id = $1 AND state <> 'running'", [runId])).rowCount === 1
      ? true
      : undefined;
  await waitFor(ended, { what: "the crawl", timeoutMs: 10 * 60_000, everyMs: 100, signal });
}

/** @param {string | Buffer} bytes */
function sha256(bytes) {
  return createHash("sha256").update(bytes).digest("hex");
}

function fixedCommon() {
  return ["the", "class", "href=", "return"].map((phrase) => ({
    ...{ phrase, isRare: false, pages: Number.NaN },
    kind: /** @type {const} */ ("a word"),
  }));
}

/** @param {readonly number[]} found @param {number} share */
function quantile(found, share) {
  const sorted = found.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** @param {number} bytes */
function mb(bytes) {
  return (bytes / 1e6).toFixed(1);
}
