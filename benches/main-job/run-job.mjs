// @ts-check
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { serveCorpus } from "../corpus/serve.mjs";
import { withProduct } from "../lib/stack.mjs";
import { sha256, storedBytes, wrongBlobs } from "../lib/stored-bytes.mjs";
import { checkDiffs } from "./check-diffs.mjs";
import { measurePhase } from "./phase.mjs";
import { doubledSnapshots, snapshotsOfRun, wrongCounters } from "./snapshot-rows.mjs";

/**
 * @typedef {import("./prepare.mjs").Expectation} Expectation
 * @typedef {{ product: import("../lib/stack.mjs").Product, site: import("../corpus/serve.mjs").ServedSite, objectId: string, signal: AbortSignal, expected: Expectation, diffsTried: number, report: import("../lib/report.mjs").Report }} Job
 * @typedef {{ phases: import("./phase.mjs").Phase[], growth: { before: import("../lib/stored-bytes.mjs").StoredBytes, after: import("../lib/stored-bytes.mjs").StoredBytes } }} JobResult
 */

/** The product's own bound on requests to one host (`HOST_CONCURRENCY`). */
const hostConcurrency = Number(process.env["HOST_CONCURRENCY"] ?? 8);

/**
 * The whole job once, on a product of its own: register → crawl → fetch → the site changes → fetch → fetch unchanged.
 * @param {Expectation} expected
 * @param {{ report: import("../lib/report.mjs").Report, log: (line: string) => void, signal: AbortSignal, diffsTried: number, keepData: boolean }} options
 *   `diffsTried`: about this many diffs are asked for and applied, spread over the changed pages, the largest always among them
 * @returns {Promise<JobResult>}
 */
export async function runJob(expected, { report, log, signal, diffsTried, keepData }) {
  const { before, after } = expected;
  const site = await serveCorpus({ roots: { [before.version]: before.root, [after.version]: after.root }, version: before.version, indexFile: before.index });
  try {
    return await withProduct({ signal, log: (line) => log(`    ${line}`), keepData }, async (product) => {
      const object = await product.rest.call("createTestObject", { body: { name: "PostgreSQL manual", url: site.url + before.index } });
      const job = { product, site, objectId: object.id, signal, expected, diffsTried, report };
      const crawl = await crawlOnce(job);
      const first = await fetchFirst(job);
      site.setVersion(after.version);
      const second = await fetchChanged(job, log);
      const third = await fetchUnchanged(job);
      report.begin("afterwards");
      report.equal("doubled snapshots, one (run, instance) at most once", 0, await doubledSnapshots(product.database), "SQL");
      const wrong = await wrongCounters(product.database);
      report.holds("run counters are those of their rows", wrong.length === 0, wrong[0] ?? "yes");
      const blobs = await wrongBlobs(product.database, fileURLToPath(product.storageUrl));
      report.equal("stored files missing, or not hashing to their name", 0, blobs.length, blobs[0] ?? "each row's file was read");
      return { phases: [crawl, first, second, third.phase], growth: third.growth };
    });
  } finally {
    await site.close();
  }
}

/** @param {Job} job */
async function crawlOnce(job) {
  const { product, site, objectId, expected, report } = job;
  report.begin(`crawl of version ${expected.before.version}`);
  const phase = await measurePhase("crawl", job, "crawl", async () => (await product.rest.call("crawl", { params: { id: objectId } })).runId);
  const { items } = await product.rest.call("listRuns", { params: { id: objectId } });
  const run = items.find((one) => one.id === phase.runId);
  report.sameSet("pages found", expected.pages, await instancePages(job), "reachable by links");
  report.equal("pages the crawl says it found", expected.pages.size, run?.found ?? "no run");
  report.equal("crawl completed / total", `${phase.progress.total} / ${phase.progress.total}`, `${phase.progress.completed} / ${phase.progress.total}`);
  report.equal("crawl failures", expected.dead, phase.progress.failed, "links that lead to nothing");
  report.equal("pages asked for more than once by the crawl", 0, askedTwice(phase.served, new URL(site.url).pathname));
  checkPhase(phase, report);
  return phase;
}

/** @param {Job} job */
async function fetchFirst(job) {
  const { product, expected, report } = job;
  report.begin(`fetch 1: version ${expected.before.version}, all new`);
  const { phase, rows } = await fetchAll("fetch 1", job);
  report.equal("failed snapshots", 0, phase.progress.failed);
  report.equal("snapshots in state done", expected.pages.size, rows.filter((row) => row.state === "done").length, "SQL");
  report.equal("stored bytes that are not those of the page (SHA-256)", 0, await wrongHashes(rows, expected.before.root));
  report.equal("changes recorded as the first of their page", expected.pages.size, rows.filter((row) => row.change === "first").length);
  const { rows: contents } = await product.database.query("SELECT count(*)::int AS distinct FROM content");
  report.equal("content rows", new Set(rows.map((row) => row.hash)).size, contents[0].distinct, "distinct pages");
  return phase;
}

/** @param {Job} job @param {(line: string) => void} log */
async function fetchChanged(job, log) {
  const { product, objectId, expected, diffsTried, report } = job;
  const { changed, same, gone } = expected.compared;
  report.begin(`fetch 2: switched to version ${expected.after.version}`);
  const { phase, rows } = await fetchAll("fetch 2", job);
  const failed = rows.filter((row) => row.state === "failed");
  report.sameSet("changed pages", changed, pagesOf(rows.filter((row) => row.change === "changed")), "bytes differ");
  report.sameSet("unchanged pages", same, pagesOf(rows.filter((row) => row.change === "unchanged")), "bytes equal");
  report.sameSet("failed snapshots", gone, pagesOf(failed), `pages that version ${expected.after.version} does not have`);
  report.equal("of these with status 404 and a reason", gone.size, failed.filter((row) => row.httpStatus === 404 && isReadable(row.error)).length);
  report.equal("failures counted in the progress", gone.size, phase.progress.failed);
  report.equal("stored bytes that are not those of the page (SHA-256)", 0, await wrongHashes(rows.filter((row) => row.state === "done"), expected.after.root));
  const object = await product.rest.call("getTestObject", { params: { id: objectId } });
  const counts = Array.isArray(object) ? undefined : object.status_counts;
  report.equal("object's counts of changed and failed instances", `${changed.size}, ${gone.size}`, `${counts?.changed}, ${counts?.failed}`);
  report.sameSet("instances listed as changed", changed, await instancePages(job, "changed"));
  report.sameSet("instances listed as failed", gone, await instancePages(job, "failed"));
  const [example] = failed;
  if (example !== undefined) log(`    reason of ${example.page}: ${example.error}`);
  const diffs = await checkDiffs(product.rest, spread(rows.filter((row) => row.change === "changed"), diffsTried), { before: expected.before.root, after: expected.after.root });
  report.equal(`diffs out of ${diffs.pages} whose hunks do not turn the old page into the new one`, 0, diffs.faults.length);
  for (const fault of diffs.faults.slice(0, 5)) log(`    ${fault}`);
  log(`    these diffs: +${diffs.linesAdded} −${diffs.linesRemoved} lines, the slowest answered in ${Math.round(diffs.slowestMs)} ms`);
  return phase;
}

/** @param {Job} job */
async function fetchUnchanged(job) {
  const { product, expected, report } = job;
  report.begin("fetch 3: nothing changed");
  const blobFolder = fileURLToPath(product.storageUrl);
  const before = await storedBytes(product.database, blobFolder);
  const { phase, rows } = await fetchAll("fetch 3", job);
  const after = await storedBytes(product.database, blobFolder);
  report.equal("changed pages", 0, rows.filter((row) => row.change === "changed").length, "nothing changed");
  report.equal("unchanged pages", expected.pages.size - expected.compared.gone.size, rows.filter((row) => row.change === "unchanged").length);
  report.equal("new content rows", 0, after.contentRows - before.contentRows);
  report.equal("new blobs", 0, after.blobs - before.blobs);
  const grown = after.database - before.database + after.blobBytes - before.blobBytes;
  report.below("database and blobs grown, per page", 2048, grown / rows.length, "bytes", { must: true });
  return { phase, growth: { before, after } };
}

/**
 * Fetches every instance and checks what holds for each such run.
 * @param {string} name
 * @param {Job} job
 */
async function fetchAll(name, job) {
  const { product, site, objectId, expected, report } = job;
  let created = 0;
  const phase = await measurePhase(name, job, "snapshotAll", async () => {
    const started = await product.rest.call("snapshotAll", { params: { id: objectId } });
    created = started.created;
    return started.runId ?? "none";
  });
  const rows = await snapshotsOfRun(product.database, phase.runId, site.url);
  report.equal("snapshots created", expected.pages.size, created, "pages");
  report.sameSet("pages with a snapshot of this run", expected.pages, pagesOf(rows), "SQL");
  report.equal("snapshots of this run", expected.pages.size, rows.length, "SQL, none lost, none doubled");
  report.equal("fetch completed / total", `${expected.pages.size} / ${expected.pages.size}`, `${phase.progress.completed} / ${phase.progress.total}`);
  checkPhase(phase, report);
  return { phase, rows };
}

/** @param {import("./phase.mjs").Phase} phase @param {import("../lib/report.mjs").Report} report */
function checkPhase(phase, report) {
  report.holds("progress only grew and stayed within its total", phase.wrongProgress.length === 0, phase.wrongProgress[0] ?? "yes");
  report.below("requests to the site at once", hostConcurrency + 1, phase.served.maxInFlight, "requests", { must: true });
  report.below("time", 60, phase.seconds, "s", { digits: 1 });
  for (const part of phase.use) {
    if (/^(gateway|crawler|fetcher|differ)/.test(part.name)) report.below(`peak memory of ${part.name}`, 300, part.peakBytes / 2 ** 20, "MB");
  }
}

/**
 * Pages of all instances, or of those with a status, as lists show them.
 * @param {Job} job
 * @param {"changed" | "failed"} [status]
 * @returns {Promise<Set<string>>}
 */
async function instancePages({ product, site, objectId }, status) {
  /** @type {Set<string>} */
  const pages = new Set();
  for (let offset = 0; ; offset += 1000) {
    const { items, hasMore } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: { limit: 1000, offset, status } });
    for (const { url } of items) pages.add(url.startsWith(site.url) ? url.slice(site.url.length) : url);
    if (!hasMore) return pages;
  }
}

/** @param {readonly import("./snapshot-rows.mjs").SnapshotRow[]} rows @param {string} root */
async function wrongHashes(rows, root) {
  const wrong = await Promise.all(rows.map(async (row) => sha256(await readFile(join(root, row.page))) !== row.hash));
  return wrong.filter(Boolean).length;
}

/** @param {readonly import("./snapshot-rows.mjs").SnapshotRow[]} rows */
function pagesOf(rows) {
  return new Set(rows.map((row) => row.page));
}

/** Words for a person: not empty, no code, no stack. @param {string | null} reason */
function isReadable(reason) {
  return reason !== null && reason.length >= 10 && reason.includes(" ") && !/\n\s+at /.test(reason);
}

/** @param {import("../corpus/serve.mjs").ServeStats} served @param {string} path */
function askedTwice(served, path) {
  return [...served.byPath].filter(([asked, times]) => asked.startsWith(path) && times > 1).length;
}

/**
 * @template {{ linesAdded: number }} T
 * @param {readonly T[]} rows
 * @param {number} most
 * @returns {T[]}
 */
function spread(rows, most) {
  const largest = rows.toSorted((a, b) => b.linesAdded - a.linesAdded).slice(0, 3);
  const step = Math.max(1, Math.ceil(rows.length / Math.max(1, most - largest.length)));
  return [...new Set([...largest, ...rows.filter((_, index) => index % step === 0)])];
}
