import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { invariantFaults } from "../support/invariants.js";
import { crawl, register, startFetch } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, slowly, startSite, type Site } from "../support/site.js";
import { compared, deleteObject, uploadJson } from "../support/transfer.js";
import { until } from "../support/until.js";

/** A deletion removes all that it was asked to remove and nothing else, whatever happens meanwhile. */
let product: Product;
let site: Site;

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(), startSite(manual(30, "text"))]);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});
afterEach(async () => {
  await compared(product);
  for (const { id } of await product.rest.call("listTestObjects")) await deleteObject(product, id);
  expect(await invariantFaults(product)).toEqual([]);
});

/** Makes an object with this many instances, two snapshots each. */
async function bigObject(instances: number): Promise<string> {
  const numbers = Array.from({ length: instances }, (_, n) => n);
  const answer = await uploadJson(product, {
    testObjects: [{ id: 1, name: "Big", url: "https://big.example/" }],
    testInstances: numbers.map((n) => ({ id: n, url: `https://big.example/${n}`, testobject_id: 1 })),
    testSnapshots: [...numbers, ...numbers].map((n, id) => ({ id, testinstance_id: n, html: `<p>${id % 7}` })),
  });
  expect(answer.status).toBe(200);
  const [object] = await product.rest.call("listTestObjects");
  return object?.id ?? "";
}

async function left(id: string): Promise<{ instances: number; snapshots: number; changes: number }> {
  const [row] = await product.db.query<{ instances: number; snapshots: number; changes: number }>(
    `SELECT count(DISTINCT i.id)::int AS instances, count(s.id)::int AS snapshots, count(c.snapshot_id)::int AS changes
     FROM test_instance i LEFT JOIN test_snapshot s ON s.test_instance_id = i.id LEFT JOIN change c ON c.snapshot_id = s.id WHERE i.test_object_id = $1`,
    [id],
  );
  return row ?? { instances: 0, snapshots: 0, changes: 0 };
}

test.each([
  ["deleteSnapshots", { instances: 1_100, snapshots: 0, changes: 0 }, 2_200],
  ["deleteAll", { instances: 0, snapshots: 0, changes: 0 }, 1_100],
] as const)("%s goes on where a killed gateway left it", async (call, expected, rows) => {
  const id = await bigObject(1_100);
  const { runId } = await product.rest.call(call, { params: { id } });
  process.kill(product.pidOf("gateway"), "SIGKILL");
  const run = await until("the end of the deletion", async () => {
    const [found] = await product.db.query<{ state: string; total: number; completed: number }>(
      `SELECT state, total, completed FROM run WHERE id = $1 AND state <> 'running'`,
      [runId],
    );
    return found;
  });
  expect(run).toEqual({ state: "finished", total: rows, completed: rows });
  expect(await left(id)).toEqual(expected);
  // the gateway answers again, and shows what is there
  const object = await until("the gateway", () =>
    product.rest.call("getTestObject", { params: { id } }).catch(() => undefined),
  );
  expect(object).toMatchObject({ instances_total: expected.instances, snapshots_total: 0 });
});

test("fetches that are under way when their rows go end quietly", async () => {
  const id = await register(product, site.url);
  await crawl(product, id);
  for (const [path, page] of Object.entries(slowly(manual(30, "slow"), 400))) site.pages.set(path, page);
  await startFetch(product, id);
  await until("requests under way", async () => site.inFlight().now > 0);
  await deleteObject(product, id);
  await until("the end of the requests", async () => site.inFlight().now === 0);
  for (const [path, page] of Object.entries(manual(30, "text"))) site.pages.set(path, page);
  // once the fetcher has fetched another page, it is done with the deleted ones
  const other = await register(product, site.url, "Other");
  await product.rest.call("snapshotOne", { params: { id: other } });
  await until("another fetch", async () => {
    const [row] = await product.db.query(`SELECT 1 FROM test_snapshot WHERE state = 'done'`);
    return row !== undefined;
  });
  for (const part of ["fetcher", "differ"]) expect(product.logged(part)).not.toMatch(/"level":"(error|fatal)"/);
});
