import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";

let product: Product;
beforeAll(async () => {
  product = await shareProduct();
});
afterAll(() => product.stop());

test("a check whose pipeline was ended by force does not run for ever", async () => {
  const objectId = await register(product, "http://shop.test/");
  const check = async (hoursAgo: number) => {
    const { id } = await product.rest.call("startCheck", { params: { id: objectId }, body: {} });
    await product.db.query("UPDATE release_check SET created_at = now() - make_interval(hours => $2) WHERE id = $1", [
      id,
      hoursAgo,
    ]);
    return product.rest.call("getCheck", { params: { id } });
  };
  expect(await check(25)).toMatchObject({ state: "failed", error: expect.stringContaining("pipeline was ended") });
  expect(await check(23)).toMatchObject({ state: "running", error: null });
});
