import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { deleteObject, exportAll, uploadJson } from "../support/transfer.js";

/** Secrets are not exported; the import of a test object says which of them have to be entered again. */
let product: Product;

beforeAll(async () => {
  product = await shareProduct();
});
afterAll(() => product.stop());

test("an import says that request headers and a login have to be entered again, where they are missing", async () => {
  const url = "http://127.0.0.1:9/";
  const id = await register(product, url, "Members");
  const login_steps = [
    { do: "open" as const, url },
    { do: "fill" as const, selector: "#who", value: "s3cret-word" },
  ];
  await product.rest.call("updateTestObject", {
    params: { id },
    body: { request_headers: ["X-Key: s3cret-word", "X-Tenant: s3cret-word"], login_steps },
  });
  const file = await exportAll(product);
  expect(JSON.stringify(file)).not.toContain("s3cret-word");
  const notes = async () => JSON.parse((await uploadJson(product, file)).text).notes;
  // the control: secrets that exist here are not reported as missing
  expect(await notes()).toEqual([]);

  await product.rest.call("updateTestObject", { params: { id }, body: { login_steps: [] } });
  const headers =
    "“Members”: its request headers (X-Key, X-Tenant) have to be entered again under Options; exports do not contain their values.";
  const login =
    "“Members”: the steps of its login have to be entered again under Options; exports do not contain them.";
  expect(await notes()).toEqual([login]);
  await deleteObject(product, id);
  expect(await notes()).toEqual([headers, login]);
  const [object] = await product.rest.call("listTestObjects");
  expect(object).toMatchObject({ request_header_names: [], login_steps: [] });
  await deleteObject(product, object?.id ?? "");
});
