// @ts-check
/**
 * Checks which changes are significant: noise is learned, edits are reported, a change of every page counts as one, and a rule holds for the history.
 */
import { parseArgs } from "node:util";
import { Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { startNoisySite } from "./noisy-site.mjs";
import { fetchAll, register, settled, tryLearning } from "./trial.mjs";
import { startCgit, startDjango, startGitweb, startTrac } from "./other-sites.mjs";
import { startDokuWiki, startMediaWiki } from "./wikis.mjs";

const usage = `npm run bench -- signal [--pages N] [--fetches N] [--only NAME] [--large N] [--history N]

Learns the noise of a generated site, and of DokuWiki and MediaWiki where these and PHP are installed (Debian: dokuwiki, mediawiki,
php-cli, php-sqlite3), and of gitweb (with libcgi-pm-perl), cgit, Trac and a site of Django (BENCH_PYTHON: a Python that has them), each
with N pages (60). Fetches each N times (10) without an edit, then with 50 edits. Then changes the footer of
N pages (10000) and accepts that, and evaluates a rule on 1,000 pages with N snapshots each (10).`;

/** @returns {Promise<boolean>} */
async function main() {
  const { values } = parseArgs({
    options: {
      pages: { type: "string", default: "60" },
      fetches: { type: "string", default: "10" },
      only: { type: "string", default: "" },
      large: { type: "string", default: "10000" },
      history: { type: "string", default: "10" },
      help: { type: "boolean", default: false },
    },
  });
  const [pages, fetches, large, history] = [values.pages, values.fetches, values.large, values.history].map(Number);
  if (values.help || !(Number(pages) >= 5) || !(Number(fetches) >= 1) || Number(history) === 1) {
    console.log(usage);
    return values.help;
  }
  const signal = benchSignal(60 * 60_000);
  const report = new Report(console.log);
  await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async (product) => {
    const others = [startGitweb, startCgit, startTrac, startDjango];
    for (const start of [startNoisySite, startDokuWiki, startMediaWiki, ...others].filter(({ name }) =>
      values.only.split(",").some((only) => name.includes(only)),
    )) {
      const site = await start(pages ?? 60);
      if (site === null) {
        console.log(`${start.name}: left out, for it is not installed.`);
        continue;
      }
      try {
        await tryLearning(product, site, { fetches: fetches ?? 10, edits: 50 }, report, signal);
      } finally {
        await site.close();
      }
    }
    if (Number(large) > 0) await changeFooter(product, large ?? 0, report, signal);
    if (Number(history) > 0) await changeRule(product, history ?? 10, report, signal);
  });
  return report.checks.every(({ ok, must }) => ok || !must);
}

/** @param {import("../lib/stack.mjs").Product} product @param {number} count @param {Report} report @param {AbortSignal} signal */
async function changeFooter(product, count, report, signal) {
  const { rest } = product;
  report.begin(`A footer on ${count} pages`);
  const site = await startNoisySite(count, false);
  try {
    const id = await register(product, site);
    await fetchAll(product, id, signal);
    site.newYear?.();
    await rest.call("snapshotAll", { params: { id } });
    let ended = 0;
    const run = await (async () => {
      for (;;) {
        const { items } = await rest.call("listRuns", { params: { id }, query: { limit: 1 } });
        const [newest] = items;
        if (newest !== undefined && newest.state !== "running") {
          ended ||= performance.now();
          if (newest.changed === count) return newest;
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
        signal.throwIfAborted();
      }
    })();
    const compared = performance.now();
    const review = await rest.call("getReview", { params: { id: run.id }, query: {} });
    const known = performance.now();
    report.equal("kinds of change", 1, review.groups_total);
    report.equal("pages of it", count, review.groups[0]?.pages ?? 0);
    report.log(
      `    ${((known - ended) / 1000).toFixed(2)} s after the end of the run (aim 5), ${((known - compared) / 1000).toFixed(2)} s of them for the answer`,
    );
    const accepting = performance.now();
    await rest.call("giveVerdict", {
      params: { id: run.id },
      body: { fingerprint: review.groups[0]?.fingerprint, verdict: "accepted" },
    });
    report.log(`    accepted in ${((performance.now() - accepting) / 1000).toFixed(2)} s (aim 0.5)`);
    const after = await rest.call("getReview", { params: { id: run.id }, query: {} });
    report.equal("pages that wait for review then", 0, after.waiting);
  } finally {
    await site.close();
  }
}

/** @param {import("../lib/stack.mjs").Product} product @param {number} snapshots @param {Report} report @param {AbortSignal} signal */
async function changeRule(product, snapshots, report, signal) {
  const { rest } = product;
  report.begin(`A rule on 1,000 pages × ${snapshots} snapshots`);
  const site = await startNoisySite(1_000);
  try {
    const id = await register(product, site);
    for (let round = 0; round < snapshots; round += 1) await fetchAll(product, id, signal);
    const body = { kind: /** @type {const} */ ("text"), pattern: "was read * times" };
    const previewing = performance.now();
    const part = await rest.call("previewRule", { params: { id }, body });
    report.log(
      `    first answer of a preview: ${((performance.now() - previewing) / 1000).toFixed(2)} s (aim 1), ${part.looked} of ${part.total} looked at`,
    );
    const began = performance.now();
    await rest.call("createRule", { params: { id }, body });
    await settled(product, id, signal);
    report.log(
      `    ${1_000 * (snapshots - 1)} changes looked at again in ${((performance.now() - began) / 1000).toFixed(1)} s (aim 60)`,
    );
  } finally {
    await site.close();
  }
}

process.exitCode = (await main()) ? 0 : 1;
