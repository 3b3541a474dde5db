import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { crawl, fetchAll } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

/** An object whose address is changed keeps its pages; the secrets for its old site are not sent to the new one. */
let product: Product;
let site: Site;
let other: Site;
const seen: (string | undefined)[] = [];

beforeAll(async () => {
  [product, site, other] = await Promise.all([
    shareProduct(reachesLoopback),
    startSite({ "/": "<h1>Old</h1>", "/sub/": "<h1>Sub</h1>" }),
    startSite({}),
  ]);
  other.pages.set("/", (request, response) => {
    seen.push(request.headers.authorization, String(request.headers["x-key"]));
    response.end("<h1>New</h1>");
  });
});
afterAll(async () => {
  await product.stop();
  await Promise.all([site.close(), other.close()]);
});

test("another path keeps secrets, another origin forgets them, and takes new ones in the same call", async () => {
  const { id } = await product.rest.call("createTestObject", { body: { name: "Moves", url: site.url } });
  const update = (body: BodyInput<"updateTestObject">) =>
    product.rest.call("updateTestObject", { params: { id }, body });
  await update({
    auth_enabled: true,
    auth_username: "ann",
    auth_password: "s3cret",
    request_headers: ["X-Key: 12345"],
  });
  await crawl(product, id);
  const inside = await update({ name: "Moved", url: `${site.url}sub/` });
  expect(inside).toMatchObject({
    name: "Moved",
    url: `${site.url}sub/`,
    auth_password_set: true,
    request_header_names: ["X-Key"],
  });
  const away = await update({ url: other.url });
  expect(away).toMatchObject({
    url: other.url,
    auth_enabled: false,
    auth_password_set: false,
    request_header_names: [],
  });
  expect((await product.rest.call("listTestInstances", { params: { id } })).items.map(({ url }) => url)).toContain(
    site.url,
  );
  await crawl(product, id);
  await fetchAll(product, id);
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.join()).not.toMatch(/12345|YW5u/);
  const back = await update({ url: site.url, auth_password: "another" });
  expect(back).toMatchObject({ auth_password_set: true });
  await expect(update({ url: "ftp://a.test/" })).rejects.toThrow(/http/);
  await expect(update({ name: " " })).rejects.toThrow(/Enter a name/);
});
