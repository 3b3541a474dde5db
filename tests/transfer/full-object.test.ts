import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { deleteObject, exportAll, uploadJson } from "../support/transfer.js";

/** Objects with many rules and schedules: all that one can have comes back, and what has no room is told. */
let product: Product;
beforeAll(async () => {
  product = await shareProduct();
});
afterAll(() => product.stop());

const rules = (count: number, letter: string) =>
  Array.from({ length: count }, (_, index) => ({ kind: "element", selector: `.${letter}${index}`, enabled: false }));
const schedules = (count: number, from: number) =>
  Array.from({ length: count }, (_, index) => ({ work: "crawl", time: { type: "every", minutes: from + index } }));
const fileOf = (of: Record<string, unknown>) => ({
  testObjects: [{ id: 1, name: "Shop", url: "http://shop.test/", ...of }],
});
const has = async (id: string) => ({
  rules: (await product.rest.call("listRules", { params: { id } })).items.length,
  schedules: (await product.rest.call("listSchedules", { params: { id } })).items.length,
});

test("an import leaves out rules and schedules that an object has no room for, says so, and the export comes back", async () => {
  const first = await uploadJson(product, fileOf({ ignore_rules: rules(998, "a"), schedules: schedules(18, 1_000) }));
  expect(JSON.parse(first.text)).toMatchObject({ objects: 1, notes: [] });
  const more = await uploadJson(product, fileOf({ ignore_rules: rules(5, "b"), schedules: schedules(6, 2_000) }));
  expect(JSON.parse(more.text).notes).toEqual([
    "“Shop”: 3 of its ignore rules were not imported, because it would have more than 1,000. Remove some and import the file again.",
    "“Shop”: 4 of its schedules were not imported, because it would have more than 20. Remove some and import the file again.",
  ]);
  const id = (await product.rest.call("listTestObjects"))[0]?.id ?? "";
  expect(await has(id)).toEqual({ rules: 1_000, schedules: 20 });
  const file = await exportAll(product);
  await deleteObject(product, id);
  const back = await uploadJson(product, file);
  expect(JSON.parse(back.text)).toMatchObject({ objects: 1, notes: [] });
  expect(await has((await product.rest.call("listTestObjects"))[0]?.id ?? "")).toEqual({ rules: 1_000, schedules: 20 });
});
