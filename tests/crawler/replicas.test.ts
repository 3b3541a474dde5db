import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { invariantFaults } from "../support/invariants.js";
import { crawl, reached, register, runEnded, startCrawl, startFetch } from "../support/job.js";
import { type Product, startProduct } from "../support/product.js";
import { startSecond } from "../support/second-worker.js";
import { manual, type Site, slowly, startSite } from "../support/site.js";

/** Crawls and fetches with two crawlers and two fetchers, and crawls whose crawler is killed. */
const hostConcurrency = 8;
let product: Product;
let site: Site;
let stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  product = await startProduct({ HOST_CONCURRENCY: String(hostConcurrency) });
});
afterAll(async () => {
  await product.stop();
});
afterEach(async () => {
  await Promise.all(stops.map((stop) => stop()));
  stops = [];
  await site.close();
});

test("never more requests in flight than the bound, crawls and fetches together", async () => {
  site = await startSite(slowly(manual(150, "text"), 30));
  stops = [startSecond(product, "crawler"), startSecond(product, "fetcher")];
  const one = await register(product, site.url, "One");
  const two = await register(product, site.url, "Two");
  await crawl(product, one);
  const runs = [await startFetch(product, one), await startCrawl(product, two)];
  for (const run of runs) expect(await runEnded(product, run)).toMatchObject({ failed: 0, total: 150 });
  expect(site.inFlight().most).toBeGreaterThan(hostConcurrency / 2);
  expect(site.inFlight().most).toBeLessThanOrEqual(hostConcurrency);
});

test("never closer together than the delay", async () => {
  const times: number[] = [];
  const delayMs = 100;
  const pages = manual(15, "text");
  site = await startSite(
    Object.fromEntries(
      Object.entries(pages).map(([path, html]) => [
        path,
        (_request, response) => {
          times.push(performance.now());
          response.writeHead(200, { "content-type": "text/html" }).end(html);
        },
      ]),
    ),
  );
  stops = [startSecond(product, "crawler"), startSecond(product, "fetcher")];
  const id = await register(product, site.url);
  await product.rest.call("updateTestObject", { params: { id }, body: { request_delay_ms: delayMs } });
  await crawl(product, id);
  const runs = [await startFetch(product, id), await startCrawl(product, id)];
  for (const run of runs) expect(await runEnded(product, run)).toMatchObject({ failed: 0, total: 15 });
  expect(times).toHaveLength(45);
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(delayMs);
});

test("a crawler killed five times leaves exactly the right set", async () => {
  const count = 10_000;
  const links = (number: number) =>
    Array.from({ length: 10 }, (_, index) => number * 10 + index + 1)
      .filter((next) => next < count)
      .map((next) => `<a href="/p${next}">${next}</a>`)
      .join(" ");
  site = await startSite({
    "/": `<title>0</title>${links(0)}`,
    ...Object.fromEntries(
      Array.from({ length: count - 1 }, (_, index) => [
        `/p${index + 1}`,
        `<title>${index + 1}</title>${links(index + 1)} <a href="/">home</a>`,
      ]),
    ),
  });
  const id = await register(product, site.url);
  const runId = await startCrawl(product, id);
  for (const share of [0.05, 0.15, 0.3, 0.5, 0.7]) {
    await reached(product, runId, Math.floor(count * share));
    process.kill(product.pidOf("crawler"), "SIGKILL");
  }
  expect(await runEnded(product, runId, 150_000)).toMatchObject({
    total: count,
    completed: count,
    failed: 0,
    found: count,
  });
  const rows = await product.db.query<{ n: number; distinct: number }>(
    `SELECT count(*)::int AS n, count(DISTINCT url)::int AS distinct FROM test_instance WHERE test_object_id = $1`,
    [id],
  );
  expect(rows).toEqual([{ n: count, distinct: count }]);
  expect(await invariantFaults(product)).toEqual([]);
}, 200_000);
