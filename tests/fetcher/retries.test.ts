import { rename, symlink, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register, runEnded, startFetch } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { manual, startSite, type Page, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Temporary failures are retried, permanent ones end with their reason, and faults of the product itself do not use up a page's attempts. */
describe("retries", () => {
  let product: Product;
  let site: Site;
  let objectId: string;

  beforeAll(async () => {
    [product, site] = await Promise.all([startProduct({}, { servers: "store" }), startSite({})]);
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
  });
  beforeEach(async () => {
    for (const [path, page] of Object.entries(manual(6, String(Math.random())))) site.pages.set(path, page);
    objectId = await register(product, site.url);
    await product.rest.call("updateTestObject", {
      params: { id: objectId },
      body: { asset_snapshots: false, fetch_mode: "http" },
    });
    await crawl(product, objectId);
    site.requests.length = 0;
  });

  const rowOf = async (path: string) => {
    const [row] = await product.db.query<{ state: string; failures: number; attempts: number; error: string | null }>(
      `SELECT s.state, s.failures, s.attempts, s.error FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
       WHERE i.test_object_id = $1 AND i.url = $2 ORDER BY s.id DESC LIMIT 1`,
      [objectId, new URL(path, site.url).href],
    );
    return row;
  };
  const html = { "content-type": "text/html" };
  /** Fails the first attempt, then serves the page. A request cut off on a reused connection is repeated within the same attempt (RFC 9110 §9.2.2). */
  const failingOnce = (fail: Extract<Page, (...args: never[]) => void>): Page => {
    let left = 1;
    let isRepeated = false;
    return (request, response) => {
      if (left === 0) return void response.writeHead(200, html).end("<!doctype html><p>At last</p>");
      const wasUsed = request.socket.bytesWritten > 0;
      fail(request, response);
      const cutOff = request.socket.destroyed;
      if (cutOff && wasUsed && !isRepeated) isRepeated = true;
      else left = 0;
    };
  };
  test.each<[string, Extract<Page, (...args: never[]) => void>]>([
    ["a network fault", (request) => request.socket.destroy()],
    ["503 with Retry-After", (_request, response) => response.writeHead(503, { "retry-after": "1" }).end()],
    ["429", (_request, response) => response.writeHead(429).end()],
  ])("%s is tried again, and the rest goes on", async (_what, fail) => {
    site.pages.set("/p1.html", failingOnce(fail));
    expect(await fetchAll(product, objectId)).toMatchObject({ total: 6, completed: 6, failed: 0 });
    expect(await rowOf("/p1.html")).toMatchObject({ state: "done", failures: 1 });
    expect(await rowOf("/p2.html")).toMatchObject({ state: "done", failures: 0 });
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("a page that fails three times ends failed with its reason, and alone", async () => {
    site.pages.set("/p1.html", (_request, response) => response.writeHead(500).end());
    expect(await fetchAll(product, objectId)).toMatchObject({ total: 6, completed: 6, failed: 1 });
    expect(await rowOf("/p1.html")).toMatchObject({
      state: "failed",
      error: expect.stringMatching(/500 Internal Server Error.*Tried 3 times/),
    });
    expect(site.requests.filter((path) => path === "/p1.html")).toHaveLength(3);
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("an object store that is away costs no page a try", async () => {
    const folder = fileURLToPath(product.stack.storageUrl);
    await rename(folder, `${folder}-away`);
    await writeFile(folder, "a file where the folder was");
    const runId = await startFetch(product, objectId);
    await until("requests while nothing can be stored", () => site.requests.length >= 6);
    const [away] = await product.db.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM test_snapshot WHERE run_id = $1 AND state = 'done'",
      [runId],
    );
    expect(away?.n).toBe(0);
    // replaced in one step, as a service that finds nothing at the path would create a folder there
    await symlink(`${folder}-away`, `${folder}-back`);
    await rename(`${folder}-back`, folder);
    expect(await runEnded(product, runId)).toMatchObject({ total: 6, completed: 6, failed: 0 });
    const rows = await product.db.query<{ failures: number }>(
      "SELECT failures FROM test_snapshot WHERE run_id = $1 AND failures > 0",
      [runId],
    );
    expect(rows).toEqual([]);
    expect(await invariantFaults(product)).toEqual([]);
  });
});
