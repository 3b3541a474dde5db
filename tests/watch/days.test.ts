import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";

let product: Product;
let objectId = "";

beforeAll(async () => {
  product = await shareProduct();
  objectId = await register(product, "http://a.test/");
});
afterAll(() => product.stop());

/** Adds a run of the past, whose id contains that time, as those of all runs do. */
async function add(at: Date, kind: string, changed: number, failed: number): Promise<string> {
  const hex = at.getTime().toString(16).padStart(12, "0");
  const tail = crypto.randomUUID().slice(19);
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-${tail}`;
  await product.db.query(
    `INSERT INTO run (id, test_object_id, kind, state, total, completed, failed, changed, told, created_at, finished_at)
     VALUES ($1, $2, $3, 'finished', 10, 10, $5, $4, true, $6, $6)`,
    [id, objectId, kind, changed, failed, at],
  );
  return id;
}
const days = async (time_zone: string, many = 90) =>
  (await product.rest.call("listRunDays", { params: { id: objectId }, query: { days: many, time_zone } })).items;

test("what was done is summed by the reader's days, and what is older is left out", async () => {
  const midnight = new Date(new Date().setUTCHours(0, 0, 0, 0));
  const before = (minutes: number) => new Date(midnight.getTime() - minutes * 60_000);
  const first = await add(before(30), "snapshot-all", 3, 0);
  await add(before(90), "snapshot-all", 2, 1);
  await add(before(100), "crawl", 0, 0);
  await add(before(20), "rules", 9, 0);
  await add(before(400 * 24 * 60), "snapshot-all", 1, 1);
  const day = before(30).toISOString().slice(0, 10);
  expect(await days("UTC")).toEqual([{ day, fetches: 2, crawls: 1, changed: 5, failed: 1, run_id: first }]);
  expect((await product.rest.call("listAllDays", { query: { time_zone: "UTC" } })).items).toEqual(await days("UTC"));
  // in a time zone an hour further east, the last run is of the next day
  const today = midnight.toISOString().slice(0, 10);
  expect((await days("Etc/GMT-1")).map((one) => [one.day, one.fetches, one.changed])).toEqual([
    [day, 1, 2],
    [today, 1, 3],
  ]);
  await expect(days("Mars/Olympus")).rejects.toThrow(/time zone/);
  await expect(days("UTC", 9_999)).rejects.toThrow(/days/);
});
