// @ts-check
import { fileURLToPath } from "node:url";
import { serveCorpus } from "../corpus/serve.mjs";
import { withProduct } from "../lib/stack.mjs";
import { wrongBlobs } from "../lib/stored-bytes.mjs";
import { doubledSnapshots, wrongCounters } from "./snapshot-rows.mjs";
import { crawlOnce, fetchChanged, fetchFirst, fetchUnchanged } from "./steps.mjs";

/**
 * @typedef {import("./prepare.mjs").Expectation} Expectation
 * @typedef {{ phases: import("./phase.mjs").Phase[], growth: { before: import("../lib/stored-bytes.mjs").StoredBytes, after: import("../lib/stored-bytes.mjs").StoredBytes } }} JobResult
 */

/**
 * Does the whole job once, on its own product: register → crawl → fetch → the site changes → fetch → fetch unchanged.
 * @param {Expectation} expected
 * @param {{ report: import("../lib/report.mjs").Report, log: (line: string) => void, signal: AbortSignal, diffsTried: number, keepData: boolean }} options
 *   `diffsTried`: about this many diffs are requested and applied, spread over the changed pages, always including the largest
 * @returns {Promise<JobResult>}
 */
export async function runJob(expected, { report, log, signal, diffsTried, keepData }) {
  const { before, after } = expected;
  const site = await serveCorpus({
    roots: { [before.version]: before.root, [after.version]: after.root },
    version: before.version,
    indexFile: before.index,
  });
  try {
    return await withProduct({ signal, log: (line) => log(`    ${line}`), keepData }, async (product) => {
      const object = await product.rest.call("createTestObject", {
        body: { name: "PostgreSQL manual", url: site.url + before.index },
      });
      const job = { product, site, objectId: object.id, signal, expected, diffsTried, report };
      const crawl = await crawlOnce(job);
      const first = await fetchFirst(job);
      site.setVersion(after.version);
      const second = await fetchChanged(job, log);
      const third = await fetchUnchanged(job);
      report.begin("afterwards");
      report.equal(
        "doubled snapshots, one (run, instance) at most once",
        0,
        await doubledSnapshots(product.database),
        "SQL",
      );
      const wrong = await wrongCounters(product.database);
      report.holds("run counters are those of their rows", wrong.length === 0, wrong[0] ?? "yes");
      const blobs = await wrongBlobs(product.database, fileURLToPath(product.storageUrl));
      report.equal(
        "stored files missing, or not hashing to their name",
        0,
        blobs.length,
        blobs[0] ?? "each row's file was read",
      );
      return { phases: [crawl, first, second, third.phase], growth: third.growth };
    });
  } finally {
    await site.close();
  }
}
