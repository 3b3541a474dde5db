// @ts-check
/** Fetches pages that are made to wear out the fetcher, in HTTP mode: how each ends, what memory it takes, and how fast the pages of another site are meanwhile. */
import { parseArgs } from "node:util";
import { budgets } from "@web-tester/contracts/limits";
import { httpBombs, serveBombs } from "../lib/http-bombs.mjs";
import { watchProcesses } from "../lib/processes.mjs";
import { median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const usage = `npm run bench -- bombs [--runs N]

Fetches 1,000 pages of a good site alone, and again while another site sends every bomb that ends by itself twice, N times (3);
then every bomb once, those that take their whole time included. Aims: each ends for one of its reasons within its deadline
+ 2 s, the fetcher stays under 512 MB, and the good site keeps ≥ 80 % of its pages per second.`;
const goodPages = 1_000;
const timeoutMs = 300_000;

/**
 * An object in HTTP mode with these pages.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} site
 * @param {readonly string[]} paths
 */
async function registerPaths({ rest, database }, site, paths) {
  const { id } = await rest.call("createTestObject", { body: { name: "Fetched by the bench", url: site } });
  await rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http" } });
  await database.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) AS u",
    [id, paths.map((path) => site + path)],
  );
  return id;
}

/**
 * Fetches an object's pages. @returns seconds from the request until the last page is recorded
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} id
 * @param {AbortSignal} signal
 */
async function fetchObject({ rest, database }, id, signal) {
  const { runId } = await rest.call("snapshotAll", { params: { id } });
  return waitFor(
    async () => {
      const { rows } = await database.query(
        "SELECT extract(epoch FROM finished_at - created_at)::float8 AS seconds FROM run WHERE id = $1 AND state <> 'running'",
        [runId],
      );
      return /** @type {number | undefined} */ (rows[0]?.seconds);
    },
    { what: "the fetch", timeoutMs, everyMs: 100, signal },
  );
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
  const signal = benchSignal(runs * 120_000 + 2 * timeoutMs);
  const bombs = httpBombs();
  const names = Object.keys(bombs);
  const quick = names.filter((name) => bombs[name]?.ends.includes("timed_out") !== true);
  const [good, hostile] = [await serveBombs({}), await serveBombs(bombs)];
  const report = new Report(console.log);
  try {
    await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async (product) => {
      const watch = watchProcesses(() => product.parts().filter(({ name }) => name === "fetcher"));
      const goodId = await registerPaths(
        product,
        good.url,
        Array.from({ length: goodPages }, (_, index) => `good/${index}`),
      );
      const quickId = await registerPaths(
        product,
        hostile.url,
        quick.flatMap((name) => [name, `${name}?again`]),
      );
      await fetchObject(product, goodId, signal); // the first time is slower: everything is new
      /** @type {number[]} */
      const shares = [];
      for (let round = 1; round <= runs; round += 1) {
        report.begin(`round ${round} of ${runs}`);
        const alone = goodPages / (await fetchObject(product, goodId, signal));
        const [beside] = await Promise.all([
          fetchObject(product, goodId, signal),
          fetchObject(product, quickId, signal),
        ]);
        shares.push((100 * goodPages) / beside / alone);
        report.log(
          `  ${alone.toFixed(0)} good pages per second alone, ${(goodPages / beside).toFixed(0)} beside ${2 * quick.length} bombs`,
        );
      }
      report.begin("each bomb once");
      const allId = await registerPaths(product, hostile.url, names);
      await fetchObject(product, allId, signal);
      const { rows } = await product.database.query(
        `SELECT substr(i.url, length($2) + 1) AS name, s.duration_ms AS ms, CASE s.state WHEN 'failed' THEN s.error_code ELSE s.state END AS "end"
         FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 ORDER BY 1`,
        [allId, hostile.url],
      );
      for (const { name, ms, end } of rows) report.log(`  ${name}: ${end} after ${(ms / 1000).toFixed(1)} s`);
      const wrong = rows.filter(({ name, end }) => bombs[name]?.ends.includes(end) !== true);
      report.equal(
        "bombs that ended otherwise than they should",
        0,
        wrong.length,
        wrong.map(({ name }) => name).join(),
      );
      report.below(
        "the longest load",
        budgets.httpDeadlineMs / 1000 + 2,
        Math.max(...rows.map(({ ms }) => ms)) / 1000,
        "s",
      );
      const [fetcher] = watch.stop();
      report.below("memory of the fetcher", 512, (fetcher?.peakBytes ?? Number.NaN) / 1024 / 1024, "MB");
      report.above("speed of the good site beside the bombs", 80, median(shares), "%");
    });
  } finally {
    await Promise.all([good.close(), hostile.close()]);
  }
  return report.passed;
}

if (!(await main())) process.exitCode = 1;
