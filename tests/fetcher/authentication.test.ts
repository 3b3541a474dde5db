import type { IncomingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { runEnded } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Credentials are sent only to the test object's own origin, and the API never returns them. */
describe("fetch authentication", () => {
  const secret = "s3cret-Geheimnis-ü";
  let product: Product;
  let site: Site;
  let other: Site;
  const seen: { site: IncomingHttpHeaders[]; other: IncomingHttpHeaders[] } = { site: [], other: [] };

  beforeAll(async () => {
    product = await shareProduct(reachesLoopback);
    other = await startSite({
      "/": (request, response) => {
        seen.other.push(request.headers);
        response.writeHead(200, { "content-type": "text/html" }).end("<title>Elsewhere</title>");
      },
    });
    const guarded = {
      basic: `Basic ${Buffer.from(`anna:${secret}`).toString("base64")}`,
      bearer: "Bearer token-123",
    };
    site = await startSite({
      "/": (request, response) => {
        seen.site.push(request.headers);
        const { authorization = "", "x-site-key": key = "" } = request.headers;
        const isAllowed = Object.values(guarded).includes(authorization) || key === "key-456";
        response.writeHead(isAllowed ? 200 : 401, { "content-type": "text/html" }).end("<title>Inside</title>");
      },
      "/away": (request, response) => {
        seen.site.push(request.headers);
        response.writeHead(302, { location: other.url }).end();
      },
    });
  });
  afterAll(async () => {
    await product.stop();
    await Promise.all([site.close(), other.close()]);
  });

  /** Creates an object with these options and fetches its own page. */
  async function fetchWith(path: string, options: Record<string, string | boolean>) {
    const { id } = await product.rest.call("createTestObject", {
      body: { name: "Guarded", url: site.url.slice(0, -1) + path },
    });
    const patched = await product.rest.call("updateTestObject", { params: { id }, body: options });
    const { testsnapshotId } = await product.rest.call("snapshotOne", { params: { id } });
    const [row] = await product.db.query<{ run_id: string }>("SELECT run_id FROM test_snapshot WHERE id = $1", [
      testsnapshotId,
    ]);
    await runEnded(product, row?.run_id ?? "none");
    const snapshot = await product.rest.call("getTestSnapshot", { params: { id: testsnapshotId } });
    if (Array.isArray(snapshot)) throw new Error("not a snapshot");
    return { id, patched, snapshot };
  }

  test.each([
    ["basic", { auth_type: "basic", auth_username: "anna", auth_password: secret }],
    ["bearer", { auth_type: "bearer", auth_password: "token-123" }],
    ["header", { auth_type: "header", auth_username: "X-Site-Key", auth_password: "key-456" }],
  ])("%s opens the page, and the secret does not come back", async (_kind, options) => {
    const { id, patched, snapshot } = await fetchWith("/", { auth_enabled: true, ...options });
    expect(snapshot).toMatchObject({ state: "done", http_status: 200 });
    expect(patched).toMatchObject({ auth_password_set: true });
    const answers = [patched, snapshot, await product.rest.call("getTestObject", { params: { id } })];
    expect(JSON.stringify(answers)).not.toContain(options.auth_password);
    const [stored] = await product.db.query<{ text: string }>(
      "SELECT test_object::text AS text FROM test_object WHERE id = $1",
      [id],
    );
    expect(stored?.text).toContain("Guarded");
    expect(stored?.text).not.toContain(options.auth_password);
    expect(stored?.text).not.toContain(Buffer.from(options.auth_password).toString("hex"));
  });

  test.each([
    ["wrong", { auth_enabled: true, auth_type: "basic", auth_username: "anna", auth_password: "wrong" }],
    ["switched off", { auth_enabled: false, auth_type: "basic", auth_username: "anna", auth_password: secret }],
  ])("%s credentials end as a worded 401", async (_what, options) => {
    const { snapshot } = await fetchWith("/", options);
    expect(snapshot).toMatchObject({ state: "failed", http_status: 401, error: expect.stringContaining("401") });
  });

  test("a redirect to another origin does not carry them along", async () => {
    seen.site.length = 0;
    const { snapshot } = await fetchWith("/away", {
      auth_enabled: true,
      auth_type: "basic",
      auth_username: "anna",
      auth_password: secret,
    });
    expect(snapshot).toMatchObject({ state: "done", final_url: other.url });
    // the control: the object's own origin did receive the credentials
    expect(seen.site.map(({ authorization }) => authorization !== undefined)).toEqual([true]);
    expect(seen.other.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  test("with a secret that was sealed under another key, all that is asked for ends in words", async () => {
    const { id } = await product.rest.call("createTestObject", { body: { name: "Moved", url: site.url } });
    const sitemaps = [new URL("sitemap.xml", site.url).href];
    const body = { auth_enabled: true, auth_username: "anna", auth_password: secret, sitemaps };
    await product.rest.call("updateTestObject", { params: { id }, body });
    const crawledWith = async () => {
      const { runId } = await product.rest.call("crawl", { params: { id } });
      return runEnded(product, runId);
    };
    expect(await crawledWith()).toMatchObject({ completed: 1, failed: 0 });
    await product.db.query(
      "UPDATE test_object SET auth_password_sealed = set_byte(auth_password_sealed, 20, 255 - get_byte(auth_password_sealed, 20)) WHERE id = $1",
      [id],
    );
    expect(await crawledWith()).toMatchObject({ completed: 1, failed: 1 });
    const { runId } = await product.rest.call("runSitemaps", { params: { id } });
    expect(await runEnded(product, runId)).toMatchObject({ completed: 1, failed: 1 });
    const words = { error: expect.stringContaining("encrypted with another SECRET_KEY"), error_code: "login_failed" };
    const pages = await product.db.query(
      `SELECT error, error_code FROM crawl_page JOIN run ON run.id = run_id WHERE test_object_id = $1 AND crawl_page.error IS NOT NULL`,
      [id],
    );
    expect(pages).toMatchObject([words, words]);
    const { testsnapshotId } = await product.rest.call("snapshotOne", { params: { id } });
    const snapshot = await until("the end of the fetch", async () => {
      const [row] = await product.db.query<{ state: string }>("SELECT * FROM test_snapshot WHERE id = $1", [
        testsnapshotId,
      ]);
      return row?.state === "failed" && row;
    });
    expect(snapshot).toMatchObject(words);
  });

  test("an empty secret removes the stored one", async () => {
    const { id } = await product.rest.call("createTestObject", { body: { name: "Emptied", url: site.url } });
    await product.rest.call("updateTestObject", { params: { id }, body: { auth_password: secret } });
    expect(await product.rest.call("updateTestObject", { params: { id }, body: { name: "Kept" } })).toMatchObject({
      auth_password_set: true,
    });
    expect(await product.rest.call("updateTestObject", { params: { id }, body: { auth_password: "" } })).toMatchObject({
      auth_password_set: false,
    });
  });

  test("what no request could carry is refused when it is saved, and what was stored stays", async () => {
    const { id } = await product.rest.call("createTestObject", { body: { name: "Mistyped", url: site.url } });
    const save = (body: object) => product.rest.call("updateTestObject", { params: { id }, body });
    await save({ auth_enabled: true, auth_type: "header", auth_username: "X-Site-Key", auth_password: "key-456" });
    await expect(save({ auth_username: "X-Site-Key:" })).rejects.toThrow(/auth_username: Enter a header name/);
    await expect(save({ auth_password: "key-456\u200b" })).rejects.toThrow(/auth_password: .+ no header can carry/);
    await expect(save({ auth_username: "a:b", auth_type: "basic" })).rejects.toThrow(/auth_username: .+ colon/);
    expect(await product.rest.call("getTestObject", { params: { id } })).toMatchObject({
      auth_type: "header",
      auth_username: "X-Site-Key",
    });
  });
});
