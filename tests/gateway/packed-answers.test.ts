import { once } from "node:events";
import { request } from "node:http";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { firstSnapshot, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { manual, startSite, type Site } from "../support/site.js";

/** Long answers of the API are sent in gzip to whoever understands it, and mean the same; what is stored is sent as it was stored. */
let product: Product;
let site: Site;
let objectId: string;
let snapshotId: string;

beforeAll(async () => {
  [product, site] = await Promise.all([shareProduct(), startSite(manual(3, "long text ".repeat(4_000)))]);
  objectId = await register(product, site.url);
  snapshotId = await firstSnapshot(product, objectId);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

async function ask(path: string, accepted: string | null, method = "GET") {
  const headers = accepted === null ? {} : { "accept-encoding": accepted };
  const [response] = await once(request(new URL(path, product.address), { headers, method }).end(), "response");
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  return { status: response.statusCode, headers: response.headers, bytes: Buffer.concat(parts) };
}

/** Answers hold when they were made, and signatures of that time. */
const withoutTimes = (bytes: Buffer) =>
  bytes.toString().replaceAll(/(?<=expires=)\d+|(?<=signature=)[\w-]+|\d{4}-\d\d-\d\dT[\d:.]+Z/g, "#");

test("whoever understands gzip gets less, and the same; others get it as it is", async () => {
  const path = `/api/testsnapshots/${snapshotId}`;
  const [plain, refused, small] = [await ask(path, null), await ask(path, "br, gzip;q=0"), await ask(path, "gzip, br")];
  expect([plain.status, plain.headers["content-encoding"]]).toEqual([200, undefined]);
  expect(refused.headers["content-encoding"]).toBeUndefined();
  expect(small.headers).toMatchObject({
    "content-encoding": "gzip",
    vary: expect.stringContaining("Accept-Encoding"),
  });
  expect(small.bytes.length).toBeLessThan(plain.bytes.length / 1.5);
  expect(withoutTimes(gunzipSync(small.bytes))).toBe(withoutTimes(plain.bytes));
});

test("the head alone says too that the answer depends on what its reader understands", async () => {
  const path = `/api/testsnapshots/${snapshotId}`;
  const [plain, head] = [await ask(path, null), await ask(path, "gzip, br", "HEAD")];
  expect(head).toMatchObject({ status: 200, headers: { vary: expect.stringContaining("Accept-Encoding") } });
  expect(head.headers["content-type"]).toBe(plain.headers["content-type"]);
  expect([head.bytes.length, head.headers["content-length"]]).toEqual([0, plain.headers["content-length"]]);
});

test.each([
  ["a stored page", () => `/api/testsnapshots/${snapshotId}/render`],
  ["an export", () => `/api/export?testObjectId=${objectId}`],
])("%s is sent as it is to everybody", async (_what, path) => {
  const [plain, asked] = [await ask(path(), null), await ask(path(), "gzip, br")];
  expect([plain.status, asked.status]).toEqual([200, 200]);
  expect(asked.headers["content-encoding"]).toBeUndefined();
  expect(withoutTimes(asked.bytes)).toBe(withoutTimes(plain.bytes));
});
