import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { randomUUID } from "node:crypto";
import type { BodyInput } from "@web-tester/contracts/api";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";

/** A site is registered together with its options, or not at all. */
let product: Product;

beforeAll(async () => {
  product = await shareProduct();
});
afterAll(() => product.stop());

const create = (body: object) => {
  const whole: BodyInput<"createTestObject"> = { name: randomUUID(), url: "http://a.test/", ...body };
  return product.rest.call("createTestObject", { body: whole });
};
const named = async () => (await product.rest.call("listTestObjects")).map(({ name }) => name);

test("options are stored with the object, and secrets as they are by a later change", async () => {
  const made = await create({
    exclude_list: [" /private* ", ""],
    keep_days: 30,
    auth_enabled: true,
    auth_username: "anna",
    auth_password: "s3cret",
    request_headers: ["X-Key: 12345"],
    login_steps: [{ do: "open", url: "http://a.test/login" }],
  });
  const read = await product.rest.call("getTestObject", { params: { id: made.id } });
  expect(read).toMatchObject({
    exclude_list: ["/private*"],
    keep_days: 30,
    auth_enabled: true,
    auth_username: "anna",
    auth_password_set: true,
    request_header_names: ["X-Key"],
    login_steps: [{ do: "open" }],
  });
  expect(JSON.stringify([made, read])).not.toMatch(/s3cret|12345/);
  const [stored] = await product.db.query<{ text: string }>("SELECT t::text AS text FROM test_object t WHERE id = $1", [
    made.id,
  ]);
  expect(stored?.text).not.toMatch(/s3cret|12345/);
  // an option that was left out is as in an object without any
  const plain = await create({});
  expect(made.crawl_pages_max).toBe(plain.crawl_pages_max);
});

test.each([
  ["a wrong value", { keep_days: -1 }, /keep_days/],
  ["a misspelt name", { exclude_lsit: ["/a*"] }, /exclude_lsit.*“exclude_list”/],
  ["credentials that cannot be sent", { auth_enabled: true, auth_type: "basic", auth_username: "a:b" }, /user/i],
  ["an element that is not named", { ready_when: "selector", ready_selector: " " }, /CSS selector/],
])("an object with %s is not registered", async (_what, options, words) => {
  const name = randomUUID();
  await expect(create({ name, ...options })).rejects.toThrow(words);
  expect(await named()).not.toContain(name);
});

test("fields that no call has are ignored, as clients add their own", async () => {
  expect(await create({ keep_days: 7, owner: "web team", admin: true })).toMatchObject({ keep_days: 7 });
});
