import { randomBytes } from "node:crypto";
import { get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { deleteObject, exportFile, uploadJson } from "../support/transfer.js";

/** An export of what is deleted meanwhile never looks complete. */
const pages = 60;
let product: Product;
beforeAll(async () => {
  product = await shareProduct();
});
afterAll(() => product.stop());

/** Makes an object whose file is larger than what a connection takes at once. @returns its id */
async function imported(): Promise<string> {
  const ids = Array.from({ length: pages }, (_, index) => index);
  const answer = await uploadJson(product, {
    testObjects: [{ id: "o", name: "Shop", url: "http://shop.test/" }],
    testInstances: ids.map((id) => ({ id, testobject_id: "o", url: `http://shop.test/${id}` })),
    testSnapshots: ids.map((id) => ({ id, testinstance_id: id, html: randomBytes(150_000).toString("hex") })),
  });
  expect(JSON.parse(answer.text)).toMatchObject({ snapshots: pages });
  return (await product.rest.call("listTestObjects"))[0]?.id ?? "";
}

/** Reads an export, and does something once its beginning is there. @returns the number of its snapshots, or why it broke off */
async function exported(query: string, meanwhile: () => Promise<unknown>): Promise<number | string> {
  const response = await fetch(`${product.address}/api/export${query}`);
  const parts: Uint8Array[] = [];
  try {
    for await (const part of response.body ?? []) {
      if (parts.length === 0) await meanwhile();
      parts.push(part);
    }
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  return exportFile.parse(JSON.parse(Buffer.concat(parts).toString())).testSnapshots.length;
}

test("an export breaks off where snapshots are deleted meanwhile, and is whole where nothing is", async () => {
  const id = await imported();
  const query = `?testObjectId=${id}`;
  expect(await exported(query, () => sleep(100))).toBe(pages);
  expect(await exported(query, () => product.rest.call("deleteSnapshots", { params: { id } }))).toMatch(/terminated/);
  await deleteObject(product, id);
});

test("an export of an object that goes breaks off", async () => {
  const id = await imported();
  expect(await exported("", () => deleteObject(product, id))).toMatch(/terminated/);
  expect(await exported("", () => Promise.resolve())).toBe(0);
});

/** Reads a file as far as it comes, and does something once its beginning is there. */
function received(path: string, meanwhile: () => Promise<unknown>): Promise<{ text: string; isWhole: boolean }> {
  return new Promise((resolve, reject) => {
    get(`${product.address}${path}`, (answer) => {
      const parts: Buffer[] = [];
      answer.once("data", () => {
        answer.pause();
        meanwhile().then(() => answer.resume(), reject);
      });
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("error", () => undefined);
      answer.once("close", () => resolve({ text: Buffer.concat(parts).toString(), isWhole: answer.complete }));
    }).once("error", reject);
  });
}

test("what came of a file that breaks off is no JSON, and says at its end why", async () => {
  const id = await imported();
  const { text, isWhole } = await received("/api/export", () => deleteObject(product, id));
  expect(isWhole).toBe(false);
  expect(text).toMatch(/\],\n"incomplete": \{"message":"“Shop”, or some of it, was deleted while [^"]*"\}\n$/);
  expect(() => void JSON.parse(text)).toThrow(SyntaxError);
});
