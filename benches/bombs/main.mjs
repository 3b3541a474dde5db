// @ts-check
/**
 * Fetches pages that are made to exhaust the fetcher: how each ends, how long the fetcher is blocked, its memory, and how
 * fast the pages of another site are fetched meanwhile.
 */
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { budgets } from "@web-tester/contracts/limits";
import { httpBombs } from "../lib/http-bombs.mjs";
import { watchProcesses } from "../lib/processes.mjs";
import { markdownTable, median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";
import { longestBlockMs } from "./event-loop.mjs";
import { startSite } from "./site-process.mjs";

const usage = `npm run bench -- bombs [--runs N]

Each bomb that ends by itself is fetched alone, and how long the fetcher's event loop stood still meanwhile is read from its
metrics; then 16,000 pages of a good site, which take about as long as two of each of these bombs do at the pace that is kept
towards their host, alone and beside these, in turn, N times (3); then those that take their whole time. Both sites are
processes of their own and pack what they serve before anything is measured. Aims: each bomb ends for one of its reasons within
its deadline + 2 s, the fetcher stays under 512 MB, and the good site keeps ≥ 80 % of its pages per second. The processor time that the bombs' own server needs is given back (divided by the processors): elsewhere it
is another machine. What the bombs cost the product, in whichever process, is counted.`;
const goodPages = 16_000;
const timeoutMs = 300_000;

/** @typedef {{ product: import("../lib/stack.mjs").Product, signal: AbortSignal, report: Report }} Around */

/**
 * Creates an object with these pages and default settings.
 * @param {Around} around
 * @param {string} site
 * @param {readonly string[]} paths
 */
async function registerPaths({ product: { rest, database } }, site, paths) {
  const { id } = await rest.call("createTestObject", { body: { name: "Fetched by the bench", url: site } });
  await database.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) AS u",
    [id, paths.map((path) => site + path)],
  );
  return id;
}

/**
 * Fetches an object's pages. @returns seconds from the request until the last page is recorded
 * @param {Around} around
 * @param {string} id
 */
async function fetchObject({ product: { rest, database }, signal }, id) {
  const { runId } = await rest.call("snapshotAll", { params: { id } });
  return waitFor(
    async () => {
      const { rows } = await database.query(
        "SELECT extract(epoch FROM finished_at - created_at)::float8 AS seconds FROM run WHERE id = $1 AND state <> 'running'",
        [runId],
      );
      return /** @type {number | undefined} */ (rows[0]?.seconds);
    },
    { what: "the fetch", timeoutMs, everyMs: 50, signal },
  );
}

/**
 * Returns how each snapshot of an object ended.
 * @param {Around} around
 * @param {string} id
 * @param {string} site
 * @returns {Promise<{ name: string, ms: number, end: string }[]>}
 */
async function endsOf({ product: { database } }, id, site) {
  const { rows } = await database.query(
    `SELECT substr(i.url, length($2) + 1) AS name, s.duration_ms AS ms, CASE s.state WHEN 'failed' THEN s.error_code ELSE s.state END AS "end"
     FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 ORDER BY 1`,
    [id, site],
  );
  return rows;
}

/**
 * @param {Around} around
 * @param {import("../lib/http-bombs.mjs").Bomb} bomb
 * @param {{ name: string, ms: number, end: string }} row
 */
function check({ report }, bomb, { name, ms, end }) {
  report.equal(`how ${name} ends`, bomb.ends.includes(end) ? end : bomb.ends.join(" or "), end);
  report.below(`time of ${name}`, budgets.httpDeadlineMs / 1000 + 2, ms / 1000, "s");
}

/** @returns {Promise<boolean>} */
async function main() {
  const { values } = parseArgs({
    options: { runs: { type: "string", default: "3" }, help: { type: "boolean", default: false } },
  });
  const runs = Number(values.runs);
  if (values.help || !(runs >= 1 && runs <= 20)) {
    console.log(usage);
    return values.help;
  }
  const signal = benchSignal(runs * 240_000 + 2 * timeoutMs);
  const bombs = new Map(Object.entries(httpBombs()));
  const [slow, quick] = [[...bombs], [...bombs]].map((all, index) =>
    all.filter(([, { ends }]) => ends.includes("timed_out") === (index === 0)).map(([name]) => name),
  );
  const [good, hostile] = [await startSite("good", signal), await startSite("bombs", signal)];
  const report = new Report(console.log);
  try {
    await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async (product) => {
      const around = { product, signal, report };
      const fetcher = () => product.parts().filter(({ name }) => name === "fetcher");
      const watch = watchProcesses(fetcher);
      const goodId = await registerPaths(
        around,
        good.url,
        Array.from({ length: goodPages }, (_, index) => `good/${index}`),
      );
      await fetchObject(around, goodId); // the first time is slower, as everything is new

      report.begin("each bomb that ends by itself, alone");
      const rows = [];
      for (const name of quick ?? []) {
        const id = await registerPaths(around, hostile.url, [name]);
        const cost = watchProcesses(fetcher);
        await longestBlockMs(fetcher()[0]?.origin);
        await fetchObject(around, id);
        const blockMs = await longestBlockMs(fetcher()[0]?.origin);
        const cpu = cost.stop()[0]?.cpuSeconds ?? Number.NaN;
        for (const row of await endsOf(around, id, hostile.url)) {
          check(around, bombs.get(name) ?? { answer: () => {}, ends: [] }, row);
          rows.push([name, row.end, (row.ms / 1000).toFixed(2), blockMs.toFixed(0), cpu.toFixed(2)]);
        }
      }
      console.log(`\n${markdownTable(["bomb", "ends", "s", "longest standstill, ms", "fetcher's CPU, s"], rows)}\n`);

      await compare(around, { good, hostile, goodId, quick: quick ?? [], runs });

      report.begin("those that take their whole time");
      const slowId = await registerPaths(around, hostile.url, slow ?? []);
      await fetchObject(around, slowId);
      for (const row of await endsOf(around, slowId, hostile.url))
        check(around, bombs.get(row.name) ?? { answer: () => {}, ends: [] }, row);
      const [used] = watch.stop();
      report.below("memory of the fetcher", 512, (used?.peakOwnBytes ?? Number.NaN) / 1024 / 1024, "MB");
    });
  } finally {
    await Promise.all([good.close(), hostile.close()]);
  }
  return report.passed;
}

/**
 * Fetches the good site alone and beside the bombs; the order changes from round to round.
 * @param {Around} around
 * @param {{ good: import("./site-process.mjs").Site, hostile: import("./site-process.mjs").Site, goodId: string, quick: readonly string[], runs: number }} sites
 */
async function compare(around, { good, hostile, goodId, quick, runs }) {
  const { product, report } = around;
  const hostileId = await registerPaths(
    around,
    hostile.url,
    quick.flatMap((name) => [name, `${name}?again`]),
  );
  const measure = async (/** @type {boolean} */ beside) => {
    const watch = watchProcesses(() => [
      ...product.parts(),
      { name: "the good site", pid: good.pid },
      { name: "the bombs' server", pid: hostile.pid },
    ]);
    await longestBlockMs(product.parts().find(({ name }) => name === "fetcher")?.origin);
    const [seconds, besideSeconds] = await Promise.all([
      fetchObject(around, goodId),
      beside ? fetchObject(around, hostileId) : 0,
    ]);
    const blockMs = await longestBlockMs(product.parts().find(({ name }) => name === "fetcher")?.origin);
    const use = watch.stop();
    // proportionally, where bombs were served after the last good page
    const served = use.find(({ name }) => name === "the bombs' server")?.cpuSeconds ?? 0;
    const given = (served * seconds) / Math.max(seconds, besideSeconds) / availableParallelism();
    const speed = goodPages / (seconds - given);
    report.log(
      `  ${beside ? `beside ${2 * quick.length} bombs` : "alone"}: ${(goodPages / seconds).toFixed(0)} good pages per second, ${speed.toFixed(0)} without what serving bombs took; longest standstill ${blockMs.toFixed(0)} ms; bombs over after ${besideSeconds.toFixed(1)} s of ${seconds.toFixed(1)}; CPU seconds: ${use.map(({ name, cpuSeconds }) => `${name} ${cpuSeconds.toFixed(1)}`).join(", ")}`,
    );
    return speed;
  };
  /** @type {number[]} */
  const shares = [];
  for (let round = 1; round <= runs; round += 1) {
    report.begin(`round ${round} of ${runs}`);
    const first = await measure(round % 2 === 0);
    const second = await measure(round % 2 === 1);
    const [alone, beside] = round % 2 === 0 ? [second, first] : [first, second];
    shares.push((100 * beside) / alone);
    report.log(`  ${shares.at(-1)?.toFixed(0)} %`);
  }
  report.atLeast("speed of the good site beside the bombs", 80, median(shares), "%");
}

if (!(await main())) process.exitCode = 1;
