import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register } from "../support/job.js";
import { scrape, sum } from "../support/scrape.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

type Change = BodyInput<"updateTestObject">;

/** A request is made conditional only if a 304 would certainly refer to the content that is stored. */
describe("conditional requests", () => {
  let product: Product;
  let site: Site;
  let objectId: string;
  /** The If-None-Match header of each request for the page. */
  let asked: (string | undefined)[] = [];
  let body = "";
  const page = `<!doctype html><title>A page</title><p>${"word ".repeat(200)}</p>`;

  const honest = (request: IncomingMessage, response: ServerResponse) => {
    asked.push(request.headers["if-none-match"]);
    const etag = `"${body.length}"`;
    const headers = { etag, "content-type": "text/html; charset=utf-8", "x-served": String(asked.length) };
    if (request.headers["if-none-match"] === etag) response.writeHead(304, headers).end();
    else response.writeHead(200, headers).end(body);
  };

  beforeAll(async () => {
    [product, site] = await Promise.all([shareProduct(), startSite({})]);
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
  });
  /** Each test begins with a new object whose page was fetched once. */
  beforeEach(async () => {
    body = `${page}<!-- ${Math.random()} -->`;
    site.pages.set("/", honest);
    objectId = await register(product, site.url);
    await product.rest.call("updateTestObject", { params: { id: objectId }, body: { asset_snapshots: false } });
    await crawl(product, objectId);
    await fetchAll(product, objectId);
    asked = [];
  });

  interface Row {
    id: string;
    state: string;
    status: number;
    hash: string;
    headers: Record<string, string | string[]>;
    code: string | null;
  }
  const snapshots = () =>
    product.db.query<Row>(
      `SELECT s.id, s.state, s.http_status AS status, encode(s.content_hash, 'hex') AS hash, s.headers, s.error_code AS code
       FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 ORDER BY s.id`,
      [objectId],
    );

  test("a 304 makes a finished snapshot that shares the content, with the headers of both answers", async () => {
    expect(await fetchAll(product, objectId)).toMatchObject({ completed: 1, failed: 0, changed: 0 });
    expect(asked).toEqual([`"${body.length}"`]);
    const [first, second] = await snapshots();
    expect(second).toMatchObject({ state: "done", status: 304, hash: first?.hash });
    expect(second?.headers).toMatchObject({ etag: `"${body.length}"`, "content-type": "text/html; charset=utf-8" });
    expect(second?.headers["x-served"]).not.toBe(first?.headers["x-served"]);
    const shown = await product.rest.call("getTestSnapshot", { params: { id: second?.id ?? "" } });
    expect(shown).toMatchObject({ http_status: 304, html: body, final_url: site.url });
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("a server that keeps its validator when the page changes is asked for the whole page now and then", async () => {
    site.pages.set("/", (request, response) => {
      asked.push(request.headers["if-none-match"]);
      const headers = { etag: '"always"', "content-type": "text/html; charset=utf-8" };
      if (request.headers["if-none-match"] === '"always"') response.writeHead(304, headers).end();
      else response.writeHead(200, headers).end(body);
    });
    await fetchAll(product, objectId);
    asked = [];
    body += "<p>changed</p>";
    for (let fetched = 0; fetched < 5; fetched += 1)
      expect(await fetchAll(product, objectId)).toMatchObject({ failed: 0, changed: 0 });
    expect(asked).toEqual(Array.from({ length: 5 }, () => '"always"'));
    // as if it had many more
    await product.db.query("UPDATE test_instance SET last_number = last_number + 40 WHERE test_object_id = $1", [
      objectId,
    ]);
    let changed = 0;
    for (let fetched = 0; fetched < 21 && changed === 0; fetched += 1)
      ({ changed } = await fetchAll(product, objectId));
    expect(changed).toBe(1);
    expect(asked.filter((tag) => tag === undefined)).toHaveLength(1);
    // and it is believed again
    expect(await fetchAll(product, objectId)).toMatchObject({ failed: 0, changed: 0 });
    expect(asked.at(-1)).toBe('"always"');
  }, 120_000);

  test("the chain goes on: a 304 after a 304, and a change after both", async () => {
    await fetchAll(product, objectId);
    await fetchAll(product, objectId);
    body += "<p>changed</p>";
    expect(await fetchAll(product, objectId)).toMatchObject({ changed: 1 });
    expect((await snapshots()).map(({ status }) => status)).toEqual([200, 304, 304, 200]);
    expect(await invariantFaults(product)).toEqual([]);
  });

  test.each([
    ["other credentials", { auth_enabled: true, auth_type: "bearer", auth_password: "token" }],
    ["another mode", { fetch_mode: "http" }],
    ["other dropped parameters", { drop_params: ["session"] }],
  ] satisfies [string, Change][])(
    "the whole page is asked for under %s, and the next time the question is back",
    async (_what, change) => {
      await product.rest.call("updateTestObject", { params: { id: objectId }, body: change });
      await fetchAll(product, objectId);
      await fetchAll(product, objectId);
      expect(asked).toEqual([undefined, `"${body.length}"`]);
      expect((await snapshots()).map(({ status }) => status)).toEqual([200, 200, 304]);
    },
  );

  test("the whole page is asked for after a redirect", async () => {
    site.pages.set("/", (_request, response) => response.writeHead(302, { location: "/elsewhere" }).end());
    site.pages.set("/elsewhere", honest);
    await fetchAll(product, objectId);
    await fetchAll(product, objectId);
    expect(asked).toEqual([undefined, undefined]);
    expect((await snapshots()).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  test("a server that answers 304 without being asked fails the page in words", async () => {
    site.pages.set("/", (request, response) => {
      asked.push(request.headers["if-none-match"]);
      response.writeHead(304, { etag: '"x"' }).end();
    });
    await product.db.query("UPDATE test_snapshot SET headers = '{}' WHERE id = $1", [(await snapshots())[0]?.id]);
    expect(await fetchAll(product, objectId)).toMatchObject({ completed: 1, failed: 1 });
    expect(asked).toEqual([undefined]);
    expect((await snapshots())[1]).toMatchObject({ state: "failed", status: 304 });
  });

  test("the files of a page that was not modified are asked for, and the page is read for that once", async () => {
    const reads = async () =>
      sum(await scrape(product, "fetcher"), "web_tester_storage_seconds_count", { operation: "read" }) ?? 0;
    const filesOfNewest = async () => {
      const { id } = (await snapshots()).at(-1) ?? { id: "" };
      return product.db.query(
        "SELECT a.url FROM snapshot_asset a JOIN test_snapshot s ON s.files_id = a.list_id WHERE s.id = $1",
        [id],
      );
    };
    body = `${page}<!-- ${Math.random()} --><img src="/picture.png">`;
    await fetchAll(product, objectId);
    await product.rest.call("updateTestObject", { params: { id: objectId }, body: { asset_snapshots: true } });
    const costs: number[] = [];
    for (const _round of [1, 2, 3]) {
      site.requests.length = 0;
      const before = await reads();
      await fetchAll(product, objectId);
      costs.push((await reads()) - before);
      expect(site.requests).toEqual(["/", "/picture.png"]);
      expect(await filesOfNewest()).toEqual([{ url: `${site.url}picture.png` }]);
    }
    expect((await snapshots()).map(({ status }) => status)).toEqual([200, 200, 304, 304, 304]);
    expect(costs).toEqual([1, 0, 0]);
  });

  test.each([
    [false, 0],
    [true, 0],
    [true, 1],
  ])(
    "a 304 for content that is gone meanwhile is followed by one full request (files kept: %s, for %i fetches already)",
    async (assets, fetches) => {
      await product.rest.call("updateTestObject", { params: { id: objectId }, body: { asset_snapshots: assets } });
      for (let fetch = 0; fetch < fetches; fetch += 1) await fetchAll(product, objectId);
      asked.length = 0;
      const [first] = await snapshots();
      const hash = Buffer.from(first?.hash ?? "", "hex");
      let lost: Promise<unknown> = Promise.resolve();
      site.pages.set("/", (request, response) => {
        // between the claim and the response, the bytes get lost or their row no longer counts as stored
        lost = assets
          ? product.store.delete(hash)
          : product.db.query("UPDATE content SET stored = false WHERE hash = $1", [hash]);
        void lost.then(() => honest(request, response));
      });
      expect(await fetchAll(product, objectId)).toMatchObject({ completed: 1, failed: 0 });
      expect(asked).toEqual([`"${body.length}"`, undefined]);
      expect((await snapshots()).slice(-1).map(({ status }) => status)).toEqual([200]);
      // the lost content is stored again
      expect(await invariantFaults(product)).toEqual([]);
    },
  );
});
