// @ts-check
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { changesPerMessageMax } from "@web-tester/contracts/messages";
import { openBus } from "@web-tester/platform/bus/open-bus";
import { watchProcesses } from "../lib/processes.mjs";
import { median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";
import { loadPairs } from "./load-pairs.mjs";
import { manualPages } from "./manual-pages.mjs";

const timeoutMs = 420_000;
const unchangedPages = 10_000;
const worstBytes = 5_000_000;
const probes = 60;

/** Measures the cost of comparing through the running product: an unchanged site, a changed one, and other requests while a worst case runs. */
export async function run(/** @type {readonly string[]} */ only = []) {
  const report = new Report(console.log);
  const signal = benchSignal(timeoutMs);
  const steps = { unchanged, changed, beside };
  await withProduct({ signal, log: console.log }, async (product) => {
    for (const [name, step] of Object.entries(steps))
      if (only.length === 0 || only.includes(name)) await step(report, product, signal);
  });
  return report.passed;
}

/** @typedef {import("../lib/stack.mjs").Product} Product */

/** Measures an unchanged site, where comparing hashes is enough. @param {Report} report @param {Product} product */
async function unchanged(report, product) {
  report.begin(`two runs of an unchanged site of ${unchangedPages.toLocaleString("en-US")} pages`);
  const page = Buffer.from("<!doctype html><p>the same");
  const { objectId } = await loadPairs(product, "unchanged", [{ a: page, b: page }], { repeat: unchangedPages });
  const ask = () =>
    product.rest.call("getBulkDiff", { params: { id: objectId }, query: { idx1: 1, idx2: 0, html: "false" } });
  const rounds = 5;
  await ask();
  const watch = watchProcesses(product.parts);
  const startedAt = performance.now();
  for (let round = 0; round < rounds; round++) {
    const { diffCount, identicalCount } = await ask();
    if (diffCount !== 0 || identicalCount !== unchangedPages) throw new Error("The bulk diff is wrong");
  }
  const wall = (performance.now() - startedAt) / rounds;
  const cpu = cpuOf(watch.stop()) / rounds;
  console.log(`answered in ${wall.toFixed(0)} ms`);
  report.below("CPU of all parts together", 0.2, cpu, "s", { digits: 3 });
}

/**
 * Measures how the differ records the changes between two versions of a manual, requested as the fetcher does it: by
 * messages that name snapshots. The new contents are made searchable once nothing more came in for a second, which is
 * shown separately.
 * @param {Report} report @param {Product} product @param {AbortSignal} signal
 */
async function changed(report, product, signal) {
  const { differing: pairs } = await manualPages();
  report.begin(`${pairs.length.toLocaleString("en-US")} changed pages through the service, blobs included`);
  const { snapshots } = await loadPairs(product, "changed", pairs);
  const newer = snapshots.map(({ b }) => b);
  await product.database.query(
    `INSERT INTO change (snapshot_id, previous_id, state) SELECT n.b, n.a, 'queued' FROM unnest($1::uuid[], $2::uuid[]) AS n (a, b)`,
    [snapshots.map(({ a }) => a), newer],
  );
  const bus = await openBus(product.addresses.NATS_URL, { name: "bench", hostConcurrency: 8, onError: console.error });
  const gone = (/** @type {string} */ query, /** @type {unknown[]} */ values, /** @type {string} */ what) =>
    waitFor(async () => ((await product.database.query(query, values)).rows.length === 0 ? true : undefined), {
      what,
      timeoutMs: 60_000,
      everyMs: 100,
      signal,
    });
  try {
    /** @type {number[]} */
    const timesGit = [];
    for (const round of ["first after the start", "second", "third", "fourth", "fifth", "sixth", "seventh"]) {
      // before the rest, as changes that wait for long count as lost and are compared without a message
      const git = median([await gitCpu(pairs), await gitCpu(pairs), await gitCpu(pairs)]);
      await product.database.query(
        `UPDATE change SET state = 'queued', generation = generation + 1, queued_at = now() WHERE snapshot_id = ANY($1)`,
        [newer],
      );
      const watch = watchProcesses(product.parts);
      const startedAt = performance.now();
      await bus.publish(
        Array.from({ length: Math.ceil(newer.length / changesPerMessageMax) }, (_, index) => ({
          name: /** @type {const} */ ("diff"),
          body: { snapshotIds: newer.slice(index * changesPerMessageMax, (index + 1) * changesPerMessageMax) },
          dedupeId: `${round} ${index}`,
        })),
      );
      const isLeft = `SELECT 1 FROM change WHERE snapshot_id = ANY($1) AND state <> 'done' LIMIT 1`;
      await gone(isLeft, [newer], "comparing");
      const wall = (performance.now() - startedAt) / 1000;
      const uses = watch.stop();
      console.log(`git diff --no-index on the unpacked trees: ${git.toFixed(2)} CPU s`);
      const times = cpuOf(uses) / git;
      console.log(`${round}: ${times.toFixed(2)} times git's; ${wall.toFixed(1)} s; CPU s: ${shown(uses)}`);
      timesGit.push(times);
      const indexing = watchProcesses(product.parts);
      const isWaiting = `SELECT 1 FROM search_entry WHERE pack_id IS NULL AND problem IS NULL LIMIT 1`;
      await gone(isWaiting, [], "making searchable");
      const searchable = indexing.stop();
      if (timesGit.length === 1) console.log(`and making them searchable: CPU s: ${shown(searchable)}`);
    }
    // the first round includes compilation, which long-running services do once
    report.below("CPU of all parts beside git's, median after the first", 1.5, median(timesGit.slice(1)), "times", {
      digits: 2,
    });
  } finally {
    await bus.close();
  }
}

const shown = (/** @type {readonly import("../lib/processes.mjs").PartUse[]} */ uses) =>
  uses.map(({ name, cpuSeconds }) => `${name} ${cpuSeconds.toFixed(2)}`).join(", ");

/** Measures other requests while the worst case is compared. @param {Report} report @param {Product} product */
async function beside(report, product) {
  report.begin("others while a worst case is compared");
  const [small, ...worst] = (
    await loadPairs(product, "worst", [
      { a: Buffer.from("<p>one\n<p>two\n"), b: Buffer.from("<p>one\n<p>three\n") },
      ...Array.from({ length: 1 }, (_, index) => ({ a: allLines(`old ${index}`), b: allLines(`new ${index}`) })),
    ])
  ).snapshots;
  if (small === undefined || worst[0] === undefined) throw new Error("Nothing to compare");
  const pair = worst[0];
  let context = 0;
  const smallDiff = () =>
    product.rest.call("getDiffHunks", { query: { ...small, context: (context = (context + 1) % 100) } });
  const gateway = () => product.rest.call("listTestObjects");
  await measure(smallDiff, 5);
  await measure(gateway, 5);
  const alone = { diff: await measure(smallDiff, probes), gateway: await measure(gateway, probes) };
  let isOver = false;
  let compared = 0;
  // each with another context: a cached answer would cost nothing
  const load = (async () => {
    for (let round = 0; !isOver; round = (round + 1) % 100) {
      await product.rest.call("getDiffHunks", { query: { ...pair, diffType: "words", context: round } });
      compared += 1;
    }
  })();
  const busy = { diff: await measure(smallDiff, probes), gateway: await measure(gateway, probes) };
  isOver = true;
  await load;
  console.log(`${compared} worst cases were compared meanwhile`);
  for (const what of /** @type {const} */ (["diff", "gateway"]))
    report.below(
      `${what === "diff" ? "another diff" : "the gateway"}, p99 (${alone[what].toFixed(0)} ms alone): more`,
      100,
      busy[what] - alone[what],
      "ms",
    );
}

/** @param {() => Promise<unknown>} ask @param {number} times @returns {Promise<number>} p99 in milliseconds */
async function measure(ask, times) {
  const took = [];
  for (let round = 0; round < times; round++) {
    const startedAt = performance.now();
    await ask();
    took.push(performance.now() - startedAt);
  }
  return took.toSorted((one, other) => one - other)[Math.ceil(took.length * 0.99) - 1] ?? Number.NaN;
}

/** Returns a text whose lines all differ. @param {string} word */
function allLines(word) {
  const lines = [];
  for (let bytes = 0, line = 0; bytes < worstBytes; line++) {
    const text = `<p class="${word}">${word} paragraph ${line} with some more words in it</p>\n`;
    lines.push(text);
    bytes += text.length;
  }
  return Buffer.from(lines.join(""));
}

/** @param {readonly import("./load-pairs.mjs").Pair[]} pairs */
async function gitCpu(pairs) {
  const work = await mkdtemp(join(tmpdir(), "diff-bench-"));
  try {
    for (const side of /** @type {const} */ (["a", "b"])) {
      await mkdir(join(work, side));
      for (const [index, pair] of pairs.entries()) await writeFile(join(work, side, `${index}.html`), pair[side]);
    }
    const { stderr } = spawnSync(
      "bash",
      ["-c", `TIMEFORMAT="%U %S"; time git diff --no-index --text a b > /dev/null`],
      {
        cwd: work,
        encoding: "utf8",
        env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
      },
    );
    const [user = Number.NaN, system = Number.NaN] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
    return user + system;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** @param {readonly import("../lib/processes.mjs").PartUse[]} uses */
const cpuOf = (uses) => uses.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
