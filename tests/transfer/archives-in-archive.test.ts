import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { deleteObject, upload } from "../support/transfer.js";
import { http, page, record, zip } from "../support/web-archives.js";

/** Programs that crawl with several browsers write a crawl as a ZIP that contains one WACZ for each browser. */
let product: Product;

beforeAll(async () => {
  product = await shareProduct();
});
afterAll(async () => {
  await product.stop();
});

const info = record("warcinfo", "urn:none", "2015-01-01T00:00:00Z", "software: test\r\n");
const url = "http://several.example/";
const of = (path: string) => record("response", `${url}${path}`, "2019-01-01T00:00:00Z", http(page(path)));
const wacz = (path: string) => zip({ "archive/data.warc.gz": gzipSync(of(path)), "datapackage.json": info });

/** Returns the addresses of the object's pages, each with the id of the object. */
const pages = () =>
  product.db.query<{ url: string; of: string }>(
    `SELECT i.url, i.test_object_id AS of FROM test_instance i JOIN test_object o ON o.id = i.test_object_id WHERE o.url = $1 ORDER BY i.url`,
    [url],
  );

test.each([{ packed: false }, { packed: true }])(
  "several WACZ in one ZIP bring the pages of all, and what is packed deeper is named: %j",
  async (how) => {
    const deeper = zip({ "archive/data.warc": of("two"), "three.wacz": wacz("three") });
    const files = { "datapackage.json": info, "one.wacz": wacz("one"), "two.wacz": deeper, "four.wacz": wacz("four") };
    const { status, text } = await upload(product, [zip(files, how)], {
      query: "",
      headers: { "content-type": "application/octet-stream" },
    });
    expect([status, JSON.parse(text)]).toEqual([
      200,
      expect.objectContaining({
        snapshots: 3,
        notes: ["Left out: 1 archives within an archive that is in another one (the first: three.wacz)."],
      }),
    ]);
    const found = await pages();
    expect(found.map((row) => row.url)).toEqual([`${url}four`, `${url}one`, `${url}two`]);
    await deleteObject(product, found[0]?.of ?? "");
  },
);
