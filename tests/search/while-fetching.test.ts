import type { ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { waitingMax } from "@web-tester/records/search/search-entries";
import { crawl, reached, register, runEnded, startFetch } from "../support/job.js";
import { type Product, startProduct } from "../support/product.js";
import { manual, type Site, startSite } from "../support/site.js";
import { until } from "../support/until.js";

/*
 * A search reads each content that is in no pack yet by itself, so only few may wait for one, even while a run goes on. The site
 * holds back the last page of the run until a test calls `letGo`.
 */
const pages = waitingMax.contents * 2 + 60;
const lastPath = `/p${pages - 2}.html`;
const held: ServerResponse[] = [];
let isHeld = false;
const last = "<!doctype html><title>Last</title><p>The last of the pages";
const letGo = () => {
  isHeld = false;
  for (const response of held.splice(0)) response.end(last);
};

let product: Product;
let site: Site;
let id = "";

beforeAll(async () => {
  product = await startProduct();
  site = await startSite({
    ...manual(pages, "as it was first"),
    [lastPath]: (_request, response) => {
      response.writeHead(200, { "content-type": "text/html" });
      held.push(response);
      if (!isHeld) letGo();
    },
  });
  id = await register(product, site.url);
  await crawl(product, id);
});
afterAll(async () => {
  letGo();
  await product.stop();
  await site.close();
});

const count = async (where: string) =>
  (await product.db.query<{ n: number }>(`SELECT count(*)::int AS n FROM search_entry WHERE ${where}`))[0]?.n ?? 0;
const found = async (q: string) => product.rest.call("searchSummary", { query: { q, testobject_id: id } });

test("packs what was fetched while its run goes on", async () => {
  isHeld = true;
  const runId = await startFetch(product, id);
  await reached(product, runId, pages - 1);
  await until("most of it in packs", async () => (await count("pack_id IS NOT NULL")) >= waitingMax.contents);
  expect(await product.db.query(`SELECT state FROM run WHERE id = $1`, [runId])).toEqual([{ state: "running" }]);
  expect(await found("as it WAS first")).toMatchObject({ matches: pages - 1, partial: null });
  letGo();
  await runEnded(product, runId);
  expect(await found("The last of the pages")).toMatchObject({ matches: 1, partial: null });
});

test("enters a page for search when it is stored, not only when it was compared", async () => {
  for (const [path, page] of Object.entries(manual(pages, "as it is now")))
    if (path !== lastPath) site.pages.set(path, page);
  const before = await count("true");
  const differ = product.pidOf("differ");
  process.kill(differ, "SIGSTOP");
  try {
    const runId = await startFetch(product, id);
    await until("all pages stored", async () => (await count("true")) === before + pages - 1);
    expect(await found("as it IS now")).toMatchObject({ matches: pages - 1, partial: null });
    process.kill(differ, "SIGCONT");
    await runEnded(product, runId);
  } finally {
    process.kill(differ, "SIGCONT");
  }
  await until("all contents in packs", async () => (await count("pack_id IS NULL")) === 0);
  expect(await found("as it is now")).toMatchObject({ matches: pages - 1, partial: null });
  expect(await found("as it was first")).toMatchObject({ matches: pages - 1, partial: null });
});
