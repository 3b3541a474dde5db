// @ts-check
import { waitFor } from "../lib/wait-for.mjs";
import { fileURLToPath } from "node:url";
import { storedBytes } from "../lib/stored-bytes.mjs";
import { checkDiffs } from "./check-diffs.mjs";
import { askedTwice, checkPhase, instancePages, isReadable, pagesOf, spread, wrongHashes } from "./figures.mjs";
import { measurePhase } from "./phase.mjs";
import { snapshotsOfRun } from "./snapshot-rows.mjs";

/**
 * @typedef {{ product: import("../lib/stack.mjs").Product, site: import("../corpus/serve.mjs").ServedSite, objectId: string, signal: AbortSignal, expected: import("./prepare.mjs").Expectation, diffsTried: number, report: import("../lib/report.mjs").Report }} Job
 */

/**
 * Crawls the site in its first version.
 * @param {Job} job
 */
export async function crawlOnce(job) {
  const { product, site, objectId, expected, report } = job;
  report.begin(`crawl of version ${expected.before.version}`);
  const phase = await measurePhase(
    "crawl",
    job,
    "crawl",
    async () => (await product.rest.call("crawl", { params: { id: objectId } })).runId,
  );
  const { items } = await product.rest.call("listRuns", { params: { id: objectId } });
  const run = items.find((one) => one.id === phase.runId);
  report.sameSet("pages found", expected.pages, await instancePages(job), "reachable by links");
  report.equal("pages the crawl says it found", expected.pages.size, run?.found ?? "no run");
  report.equal(
    "crawl completed / total",
    `${phase.progress.total} / ${phase.progress.total}`,
    `${phase.progress.completed} / ${phase.progress.total}`,
  );
  report.equal("crawl failures", expected.dead, phase.progress.failed, "links that lead to nothing");
  report.equal("pages asked for more than once by the crawl", 0, askedTwice(phase.served, new URL(site.url).pathname));
  checkPhase(phase, report);
  return phase;
}

/**
 * Fetches every page for the first time.
 * @param {Job} job
 */
export async function fetchFirst(job) {
  const { product, expected, report } = job;
  report.begin(`fetch 1: version ${expected.before.version}, all new`);
  const { phase, rows } = await fetchAll("fetch 1", job);
  report.equal("failed snapshots", 0, phase.progress.failed);
  report.equal(
    "snapshots in state done",
    expected.pages.size,
    rows.filter((row) => row.state === "done").length,
    "SQL",
  );
  report.equal(
    "stored bytes that are not those of the page (SHA-256)",
    0,
    await wrongHashes(rows, expected.before.root),
  );
  report.equal(
    "changes recorded as the first of their page",
    expected.pages.size,
    rows.filter((row) => row.change === "first").length,
  );
  const { rows: assets } = await product.database.query(
    "SELECT DISTINCT encode(content_hash, 'hex') AS hash FROM snapshot_asset",
  );
  const { rows: contents } = await product.database.query("SELECT count(*)::int AS distinct FROM content");
  const distinct = new Set([...rows, ...assets].map((row) => row.hash)).size;
  report.equal("content rows", distinct, contents[0].distinct, "distinct pages and their files");
  return phase;
}

/**
 * Fetches every page after the site has changed, and applies diffs of changed pages.
 * @param {Job} job
 * @param {(line: string) => void} log
 */
export async function fetchChanged(job, log) {
  const { product, objectId, expected, diffsTried, report } = job;
  const { changed, same, gone } = expected.compared;
  report.begin(`fetch 2: switched to version ${expected.after.version}`);
  const { phase, rows } = await fetchAll("fetch 2", job);
  const failed = rows.filter((row) => row.state === "failed");
  report.sameSet("changed pages", changed, pagesOf(rows.filter((row) => row.change === "changed")), "bytes differ");
  report.sameSet("unchanged pages", same, pagesOf(rows.filter((row) => row.change === "unchanged")), "bytes equal");
  report.sameSet(
    "failed snapshots",
    gone,
    pagesOf(failed),
    `pages that version ${expected.after.version} does not have`,
  );
  report.equal(
    "of these with status 404 and a reason",
    gone.size,
    failed.filter((row) => row.httpStatus === 404 && isReadable(row.error)).length,
  );
  report.equal("failures counted in the progress", gone.size, phase.progress.failed);
  report.equal(
    "stored bytes that are not those of the page (SHA-256)",
    0,
    await wrongHashes(
      rows.filter((row) => row.state === "done"),
      expected.after.root,
    ),
  );
  const object = await product.rest.call("getTestObject", { params: { id: objectId } });
  const counts = Array.isArray(object) ? undefined : object.status_counts;
  report.equal(
    "object's counts of changed and failed instances",
    `${changed.size}, ${gone.size}`,
    `${counts?.changed}, ${counts?.failed}`,
  );
  report.sameSet("instances listed as changed", changed, await instancePages(job, "changed"));
  report.sameSet("instances listed as failed", gone, await instancePages(job, "failed"));
  const [example] = failed;
  if (example !== undefined) log(`    reason of ${example.page}: ${example.error}`);
  const diffs = await checkDiffs(
    product.rest,
    spread(
      rows.filter((row) => row.change === "changed"),
      diffsTried,
    ),
    { before: expected.before.root, after: expected.after.root },
  );
  report.equal(
    `diffs out of ${diffs.pages} whose hunks do not turn the old page into the new one`,
    0,
    diffs.faults.length,
  );
  for (const fault of diffs.faults.slice(0, 5)) log(`    ${fault}`);
  log(
    `    these diffs: +${diffs.linesAdded} −${diffs.linesRemoved} lines, the slowest answered in ${Math.round(diffs.slowestMs)} ms`,
  );
  return phase;
}

/**
 * Fetches every page once more with nothing changed, and checks how much was stored for that.
 * @param {Job} job
 */
export async function fetchUnchanged(job) {
  const { product, expected, report } = job;
  report.begin("fetch 3: nothing changed");
  const blobFolder = fileURLToPath(product.storageUrl);
  // the contents of the previous fetch become searchable a moment after it
  await searchable(job);
  const before = await storedBytes(product.database, blobFolder);
  const { phase, rows } = await fetchAll("fetch 3", job);
  const after = await storedBytes(product.database, blobFolder);
  report.equal("changed pages", 0, rows.filter((row) => row.change === "changed").length, "nothing changed");
  report.equal(
    "unchanged pages",
    expected.pages.size - expected.compared.gone.size,
    rows.filter((row) => row.change === "unchanged").length,
  );
  report.equal("new content rows", 0, after.contentRows - before.contentRows);
  report.equal("new blobs", 0, after.blobs - before.blobs);
  const grown = after.database - before.database + after.blobBytes - before.blobBytes;
  report.below("database and blobs grown, per page", 2048, grown / rows.length, "bytes", { must: true });
  return { phase, growth: { before, after } };
}

/** Waits until all content is searchable. @param {Job} job */
async function searchable({ product, signal }) {
  const waiting = "SELECT 1 FROM search_entry WHERE pack_id IS NULL AND problem IS NULL LIMIT 1";
  await waitFor(async () => (await product.database.query(waiting)).rows.length === 0 || undefined, {
    what: "all content to be searchable",
    timeoutMs: 120_000,
    signal,
  });
}

/**
 * Fetches every instance and makes the checks that apply to every such run.
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
  report.equal(
    "fetch completed / total",
    `${expected.pages.size} / ${expected.pages.size}`,
    `${phase.progress.completed} / ${phase.progress.total}`,
  );
  checkPhase(phase, report);
  return { phase, rows };
}
