import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { QueryInput } from "@web-tester/contracts/api";
import { register } from "../support/job.js";
import { selectInstances } from "@web-tester/gateway/instances/select-instances.sql";
import { rowsLookedAt } from "../support/query-plan.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";

/** The instances of an object in each order that a caller may ask for. */
let product: Product;
let objectId: string;

beforeAll(async () => {
  product = await shareProduct();
  objectId = await register(product, "http://order.example/");
  await product.db.query(
    `INSERT INTO test_instance (test_object_id, url, name, status, last_snapshot_at, content_size)
     SELECT $1, 'http://order.example' || path, name, status, fetched::timestamptz, size FROM (VALUES
       ('/a', 'zebra', 'unchanged', '2026-01-02', 30), ('/b', 'Apple', 'failed', '2026-01-03', 10), ('/c', 'mango', 'changed', NULL, 20),
       ('/d', 'apple', 'changed', '2026-01-04', NULL), ('/e', 'Berry', 'none', '2026-01-01', NULL)) AS p (path, name, status, fetched, size)`,
    [objectId],
  );
  // one snapshot per letter, the oldest first: those that changed their page, then later ones that are unchanged
  for (const [page, kind] of [..."eaabdab"]
    .map((path) => [path, "changed"])
    .concat([..."cbe"].map((path) => [path, "unchanged"])))
    await product.db.query(
      `WITH made AS (
         INSERT INTO test_snapshot (test_instance_id, number, state, fetched_at)
         SELECT id, 1, 'done', now() FROM test_instance WHERE test_object_id = $1 AND url = 'http://order.example/' || $2 RETURNING id
       )
       INSERT INTO change (snapshot_id, previous_id, state, kind, test_object_id) SELECT id, id, 'done', $3, CASE WHEN $3 = 'changed' THEN $1::uuid END FROM made`,
      [objectId, page, kind],
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
  [{ sort: "changed" }, "badec"],
  [{ sort: "changed", limit: 2 }, "ba"],
  [{ sort: "changed", limit: 999, offset: 2_000_000_000 }, ""],
  [{ sort: "changed", q: "apple" }, "bd"],
  [{ sort: "changed", q: "apple", limit: 1 }, "b"],
  [{ sort: "changed", status: "changed" }, "dc"],
  [{ sort: "size" }, "acbde"],
  [{ sort: "size", q: "e" }, "acbde"],
  [{ sort: "size", status: "changed" }, "cd"],
  [{ sort: "name", status: "changed" }, "dc"],
  [{ sort: "path", q: "apple" }, "bd"],
  [{ sort: "fetched", q: "e" }, "dbaec"],
])("%j", async (query, order) => {
  expect(await paths(query)).toBe(order);
});

test.each(["name", "path", "fetched", "changed", "size"] as const)(
  "by %s, page after page gives each once",
  async (sort) => {
    const whole = await paths({ sort });
    const pages = await Promise.all([0, 2, 4].map((offset) => paths({ sort, limit: 2, offset })));
    expect(pages.join("")).toBe(whole);
  },
);

test("those that changed last cost the newest changes, however many snapshots there are", async () => {
  const { db } = product;
  const id = await register(product, "http://much.example/");
  await db.query(
    `WITH pages AS (
       INSERT INTO test_instance (test_object_id, url, name) SELECT $1, 'http://much.example/' || n, 'Page' FROM generate_series(1, 6000) n RETURNING id
     ), made AS (
       INSERT INTO test_snapshot (test_instance_id, number, state) SELECT id, n, 'done' FROM pages, generate_series(1, 3) n RETURNING id, number
     )
     INSERT INTO change (snapshot_id, previous_id, state, kind, test_object_id)
     SELECT id, id, 'done', CASE number WHEN 1 THEN 'changed' ELSE 'unchanged' END, CASE number WHEN 1 THEN $1::uuid END FROM made`,
    [id],
  );
  await db.query("ANALYZE test_instance, test_snapshot, change");
  const filter = { objectId: id, status: null, text: null, order: "changed" } as const;
  const looked = (offset: number) => rowsLookedAt(db, "test_snapshot", (on) => selectInstances(on, filter, 20, offset));
  expect(await looked(0)).toBeLessThan(5_000);
  // the last page of the list reads all rows, which proves that the measure works
  expect(await looked(5_990)).toBeGreaterThan(6_000);
});

test("another word is refused", async () => {
  const address = `${product.address}/api/testobjects/${objectId}/testinstances?sort=colour`;
  const answer = await fetch(address);
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("sort")]);
});
