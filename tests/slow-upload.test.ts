import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startProduct, type Product } from "./support/product.js";
import { upload } from "./support/transfer.js";
import { until } from "./support/until.js";

/** An upload may be slow, but not stand still, nor hold its place with a byte now and then. */
const stallMs = 2_000;
let product: Product;

beforeAll(async () => {
  product = await startProduct({ UPLOAD_STALL_MS: String(stallMs) });
});
afterAll(() => product.stop());

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const head = '{"version": 1, "testInstances": [], "testSnapshots": [], "testObjects": [';
const object = (index: number, padding: number) =>
  JSON.stringify({
    id: `o${index}`,
    name: `Object ${index}`,
    url: `https://slow-${index}.example/`,
    padding: "x".repeat(padding),
  });

async function lastImport(name: string) {
  const { items } = await product.rest.call("listImports");
  return items.find((item) => item.name === name);
}
const objects = async () => (await product.rest.call("listTestObjects")).length;

test.each([
  [
    "a byte now and then",
    async function* () {
      yield head;
      for (;;) {
        await pause(100);
        yield " ";
      }
    },
  ],
  [
    "nothing any more",
    async function* () {
      yield `${head}${object(1, 100_000)},`;
      await new Promise(() => undefined);
    },
  ],
])("an upload that brings %s is ended, and changes nothing", async (name, body) => {
  await expect(upload(product, body(), { query: `?name=${encodeURIComponent(name)}` })).rejects.toMatchObject({
    code: "ECONNRESET",
  });
  const job = await until("the import has ended", async () => {
    const found = await lastImport(name);
    return found?.state === "failed" && found;
  });
  expect(job.error).toContain("The upload broke off");
  expect(await objects()).toBe(0);
});

test("a slow upload that goes on for longer than that is taken", async () => {
  const count = 12;
  const began = performance.now();
  const { status, text } = await upload(
    product,
    (async function* () {
      yield head;
      for (let index = 0; index < count; index += 1) {
        yield `${index === 0 ? "" : ","}${object(index, 20_000)}`;
        await pause(stallMs / 4);
      }
      yield "]}";
    })(),
    { query: "?name=slow" },
  );
  expect(performance.now() - began).toBeGreaterThan(stallMs * 2);
  expect(status).toBeLessThan(300);
  expect(JSON.parse(text)).toMatchObject({ objects: count });
  expect(await objects()).toBe(count);
});
