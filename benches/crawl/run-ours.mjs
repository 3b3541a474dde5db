// @ts-check
import { watchProcesses } from "../lib/processes.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const crawlTimeoutMs = 300_000;
const backing = new Set(["postgres", "nats"]);

/**
 * Makes the running product crawl a site that is new to it, and measures all its processes from the request to the end of the run.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} url
 * @param {AbortSignal} signal
 * @returns {Promise<import("./run-program.mjs").CrawlResult>}
 */
export async function runOurs(product, url, signal) {
  const { rest } = product;
  const { id } = await rest.call("createTestObject", { body: { name: "Crawled by the bench", url } });
  const watch = watchProcesses(() => product.parts());
  const startedAt = performance.now();
  const { runId } = await rest.call("crawl", { params: { id } });
  const finished = await waitFor(
    async () => {
      const object = await rest.call("getTestObject", { params: { id } });
      if (Array.isArray(object)) throw new Error("The test object has disappeared");
      const { crawl } = object.progress;
      return crawl.runId === runId && !crawl.running ? performance.now() : undefined;
    },
    { what: "the crawl", timeoutMs: crawlTimeoutMs, everyMs: 250, signal },
  );
  const use = watch.stop();
  const cpuSeconds = use.reduce((sum, part) => sum + part.cpuSeconds, 0);
  const ownCpuSeconds = use.filter((part) => !backing.has(part.name)).reduce((sum, part) => sum + part.cpuSeconds, 0);
  const site = new URL(".", url).href;
  const { rows } = await product.database.query("SELECT url FROM test_instance WHERE test_object_id = $1", [id]);
  const pages = new Set(rows.map((row) => String(row.url).slice(site.length)));
  await rest.call("deleteTestObject", { params: { id } });
  await waitFor(
    async () => {
      const { rowCount } = await product.database.query("SELECT 1 FROM test_object WHERE id = $1", [id]);
      return rowCount === 0 ? true : undefined;
    },
    { what: "the deletion of what was crawled", timeoutMs: crawlTimeoutMs, signal },
  );
  return { seconds: (finished - startedAt) / 1000, ownCpuSeconds, cpuSeconds, pages, use };
}
