import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { QueryInput } from "@web-tester/contracts/api";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";

/** The instances of an object in the orders that one may ask for. */
let product: Product;
let objectId: string;

beforeAll(async () => {
  product = await shareProduct();
  objectId = await register(product, "http://order.example/");
  await product.db.query(
    `INSERT INTO test_instance (test_object_id, url, name, status, last_snapshot_at)
     SELECT $1, 'http://order.example' || path, name, status, fetched::timestamptz FROM (VALUES
       ('/a', 'zebra', 'unchanged', '2026-01-02'), ('/b', 'Apple', 'failed', '2026-01-03'), ('/c', 'mango', 'changed', NULL),
       ('/d', 'apple', 'changed', '2026-01-04'), ('/e', 'Berry', 'none', '2026-01-01')) AS p (path, name, status, fetched)`,
    [objectId],
  );
});
afterAll(() => product.stop());

async function paths(query: QueryInput<"listTestInstances">): Promise<string> {
  const { items } = await product.rest.call("listTestInstances", { params: { id: objectId }, query });
  return items.map(({ url }) => new URL(url).pathname.slice(1)).join("");
}

test.each<[QueryInput<"listTestInstances">, string]>([
  [{}, "bcdae"],
  [{ sort: "name" }, "bdeca"],
  [{ sort: "path" }, "abcde"],
  [{ sort: "fetched" }, "dbaec"],
  [{ sort: "name", status: "changed" }, "dc"],
  [{ sort: "path", q: "apple" }, "bd"],
  [{ sort: "fetched", q: "e" }, "dbaec"],
])("%j", async (query, order) => {
  expect(await paths(query)).toBe(order);
});

test.each(["name", "path", "fetched"] as const)("by %s, page after page gives each once", async (sort) => {
  const whole = await paths({ sort });
  const pages = await Promise.all([0, 2, 4].map((offset) => paths({ sort, limit: 2, offset })));
  expect(pages.join("")).toBe(whole);
});

test("another word is refused", async () => {
  const address = `${product.address}/api/testobjects/${objectId}/testinstances?sort=colour`;
  const answer = await fetch(address);
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("sort")]);
});
