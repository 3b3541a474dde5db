import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";

let product: Product;
let objectId = "";

beforeAll(async () => {
  product = await shareProduct();
  objectId = await register(product, "http://runs.test/", "Runs");
  await addRuns(["crawl", "snapshot-all", "crawl", "snapshot-all", "crawl", "snapshot-all", "crawl"]);
});
afterAll(() => product.stop());

/** Adds ended runs of these kinds, each newer than the one before. */
async function addRuns(kinds: readonly string[]): Promise<void> {
  for (const kind of kinds)
    await product.db.query(
      `INSERT INTO run (test_object_id, kind, state, told, finished_at) VALUES ($1, $2, 'finished', true, now())`,
      [objectId, kind],
    );
}

const list = (query: { limit?: number; kind?: "crawl" | "snapshot-all"; cursor?: string }) =>
  product.rest.call("listRuns", { params: { id: objectId }, query });

test("all runs are listed page by page, each once, also while others begin", async () => {
  const { items: all, nextCursor: none } = await list({ limit: 100 });
  expect([all.length, none]).toEqual([7, null]);
  const first = await list({ limit: 3 });
  await addRuns(["crawl", "crawl"]);
  const second = await list({ limit: 3, cursor: first.nextCursor ?? "" });
  const third = await list({ limit: 3, cursor: second.nextCursor ?? "" });
  expect([...first.items, ...second.items, ...third.items].map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  expect(third.nextCursor).toBeNull();
});

test("those of one kind, and the end where it falls on the end of a page", async () => {
  const first = await list({ limit: 2, kind: "snapshot-all" });
  const second = await list({ limit: 1, kind: "snapshot-all", cursor: first.nextCursor ?? "" });
  expect([...first.items, ...second.items].map(({ kind }) => kind)).toEqual(Array(3).fill("snapshot-all"));
  expect(second.nextCursor).toBeNull();
});

test("what is no kind and no cursor is refused in words", async () => {
  const ask = async (query: string) => {
    const answer = await fetch(`${product.address}/api/testobjects/${objectId}/runs?${query}`);
    return [answer.status, await answer.text()] as const;
  };
  expect(await ask("kind=dance")).toEqual([400, expect.stringContaining("must be one of crawl, sitemaps")]);
  expect(await ask("cursor=1")).toEqual([400, expect.stringContaining("cursor: must be an id")]);
});
