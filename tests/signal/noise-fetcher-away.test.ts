import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { endFetcherProcesses, startFetcherProcess } from "../support/faulty-fetcher.js";
import { crawl, fetchAll, register, runEnded } from "../support/job.js";
import { type Product, startProduct } from "../support/product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

let product: Product;
let site: Site;

beforeAll(async () => {
  [product, site] = await Promise.all([startProduct({ FETCHERS: "0" }), startSite(manual(6, "text"))]);
});
afterAll(async () => {
  await endFetcherProcesses();
  await product.stop();
  await site.close();
});

test("a search for noise waits while no fetcher is there, as while one starts again: no page counts as failed", async () => {
  const id = await register(product, site.url);
  await crawl(product, id);
  const before = startFetcherProcess(product);
  await fetchAll(product, id);
  before.child.kill("SIGKILL");
  await before.ended;
  const { runId } = await product.rest.call("findNoise", { params: { id }, body: { apply: true } });
  await until("pages to be fetched twice", async () => {
    const [run] = await product.db.query<{ total: number }>("SELECT total FROM run WHERE id = $1", [runId]);
    return run !== undefined && run.total > 0;
  });
  startFetcherProcess(product);
  expect(await runEnded(product, runId)).toMatchObject({ state: "finished", completed: 6, failed: 0 });
});
