import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { partitionOf } from "@web-tester/platform/bus/partition";
import { invariantFaults } from "../support/invariants.js";
import { register, runEnded } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { createSites, type Site } from "../support/site.js";

/** Sitemap crawls of different sites that run at the same time do not wait for one another. */
let product: Product;
const sites = createSites();
const { open } = sites;

beforeAll(async () => {
  product = await shareProduct();
}, 240_000);
afterAll(async () => {
  await product?.stop();
  await sites.close();
});

/** Opens a site whose host belongs to another partition of the queue than that of `other`. */
async function openApartFrom(other: Site): Promise<Site> {
  for (;;) {
    const site = await open({});
    const [own, others] = [site, other].map(({ url }) => partitionOf(new URL(url).host));
    if (own !== others) return site;
  }
}

async function read(site: Site, names: readonly string[]): Promise<string> {
  const id = await register(product, site.url);
  const sitemaps = names.map((name) => new URL(name, site.url).href);
  await product.rest.call("updateTestObject", { params: { id }, body: { sitemaps } });
  return (await product.rest.call("runSitemaps", { params: { id } })).runId;
}

test("a site whose sitemaps never end keeps no other site's from being read", async () => {
  const endless = await open({});
  const names = Array.from({ length: 30 }, (_, n) => `/endless-${n}.xml`);
  // the connections are accepted, but no response ever comes
  for (const name of names) endless.pages.set(name, () => undefined);
  const other = await openApartFrom(endless);
  other.pages.set("/sitemap.xml", (_request, response) => {
    response.writeHead(200, { "content-type": "application/xml" });
    response.end(`<urlset><url><loc>${other.url}page</loc></url></urlset>`);
  });

  const stuck = await read(endless, names);
  const run = await runEnded(product, await read(other, ["/sitemap.xml"]));
  expect(run).toMatchObject({ state: "finished", found: 1, failed: 0 });
  expect(await product.rest.call("getRun", { params: { id: stuck } })).toMatchObject({
    state: "running",
    completed: 0,
  });

  await product.rest.call("cancelRun", { params: { id: stuck } });
  endless.pages.clear();
  expect(await invariantFaults(product)).toEqual([]);
});
