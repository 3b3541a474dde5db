import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { PNG } from "pngjs";
import { fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

/** Every snapshot with content has a thumbnail, which is drawn from the stored page when it is first requested. */
let product: Product;
let site: Site;
let objectId: string;

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(), startSite({})]);
  site.pages.set("/", "<!doctype html><title>Red</title><style>html { background: #c00 }</style><h1>Red</h1>");
  objectId = await register(product, site.url);
  await product.db.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) u",
    [objectId, [site.url, `${site.url}missing`]],
  );
  await fetchAll(product, objectId);
  await site.close();
});
afterAll(() => product.stop());

async function pageOf(end: string) {
  const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query: {} });
  const item = items.find(({ url }) => url.endsWith(end));
  if (item === undefined) throw new Error(`There is no page ${end}`);
  const { testsnapshots } = await product.rest.call("getTestInstance", { params: { id: item.id }, query: {} });
  return { item, newest: testsnapshots[0] };
}

test("a list names the thumbnail of each page that was fetched, and it shows the page without the site", async () => {
  const { item, newest } = await pageOf("/");
  expect(item.thumbnail).toBe(newest?.thumbnail);
  const response = await fetch(product.address + (item.thumbnail ?? ""));
  expect([response.status, response.headers.get("content-type")]).toEqual([200, "image/png"]);
  const png = PNG.sync.read(Buffer.from(await response.arrayBuffer()));
  expect([png.width, png.height]).toEqual([320, 225]);
  const at = (x: number, y: number) => [...png.data.subarray((y * png.width + x) * 4, (y * png.width + x) * 4 + 3)];
  expect([at(0, 0), at(319, 224), at(200, 150)]).toEqual([
    [204, 0, 0],
    [204, 0, 0],
    [204, 0, 0],
  ]);
  const again = await fetch(product.address + (item.thumbnail ?? ""));
  expect(PNG.sync.read(Buffer.from(await again.arrayBuffer())).data.equals(png.data)).toBe(true);
});

test("what was never fetched has none", async () => {
  const { item, newest } = await pageOf("/missing");
  expect([item.thumbnail, newest?.thumbnail]).toEqual([null, null]);
  const refused = await fetch(`${product.address}/api/testsnapshots/${newest?.id}/thumbnail`);
  expect(refused.status).toBe(404);
});
