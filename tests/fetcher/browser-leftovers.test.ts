import { chmod, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { fetchAll, crawl, register, runEnded, startFetch } from "../support/job.js";
import { type Product, startProduct } from "../support/product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** A fetcher that is killed leaves the profile of its browser behind; the next one removes it. */
let product: Product;
let site: Site;
let folder: string;
let isSlow = true;

beforeAll(async () => {
  folder = await mkdtemp("/tmp/web-tester-tmp-");
  await chmod(folder, 0o1777);
  [product, site] = await Promise.all([
    startProduct({ TMPDIR: folder }),
    startSite({
      "/": (_request, response) => {
        response.writeHead(200, { "content-type": "text/html" }).write("<!doctype html><title>A page</title><p>Words.");
        if (!isSlow) response.end();
      },
    }),
  ]);
}, 240_000);
afterAll(async () => {
  await product?.stop();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

/** Lists what browsers keep, by the folder of their fetcher. */
async function profiles(): Promise<[fetcher: string, profiles: string[]][]> {
  const [own] = (await readdir(folder)).filter((name) => name.startsWith("web-tester-"));
  if (own === undefined) return [];
  const fetchers = (await readdir(join(folder, own))).filter((name) => name.startsWith("browser-"));
  return Promise.all(
    fetchers.map(async (name): Promise<[string, string[]]> => {
      const all = await readdir(join(folder, own, name));
      return [name, all.filter((each) => each.includes("_profile-"))];
    }),
  );
}

test("profiles are in the product's own folder, and go with the next fetcher", async () => {
  isSlow = false;
  const id = await register(product, site.url);
  await crawl(product, id);
  await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "browser" } });
  isSlow = true;
  const run = await startFetch(product, id);
  await until("a browser", async () => (await profiles()).some(([, each]) => each.length === 1));
  const [[killed] = [""]] = await profiles();
  process.kill(product.pidOf("fetcher"), "SIGKILL");
  isSlow = false;
  expect(await runEnded(product, run)).toMatchObject({ completed: 1, failed: 0 });
  expect((await profiles()).map(([fetcher]) => fetcher)).toEqual([expect.not.stringMatching(killed)]);
  await fetchAll(product, id);
  expect((await readdir(folder)).filter((name) => name.startsWith("playwright"))).toEqual([]);
});
