import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { runEnded } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { type Site, startSite } from "../support/site.js";

/** Servers repeat the credentials that they were asked with, in addresses and headers; those are shown to viewers. */
describe("a site that repeats our credentials", () => {
  const token = "Geheim-0815+token/47";
  let product: Product;
  let site: Site;

  /** Leads to an address that contains the header `Authorization`, and links to another one. */
  function repeat(request: IncomingMessage, response: ServerResponse): void {
    const { authorization = "" } = request.headers;
    const as = encodeURIComponent(authorization);
    const type = { "content-type": "text/html", "x-echo": authorization };
    if (request.url === "/") return void response.writeHead(302, { ...type, location: `/in?as=${as}` }).end();
    response.writeHead(200, type).end(`<!doctype html><title>In</title><a href="/deep?as=${as}">Deep</a>`);
  }

  beforeAll(async () => {
    [product, site] = await Promise.all([shareProduct(reachesLoopback), startSite({})]);
    // whatever is asked for, also with the mask in its place
    const { get } = site.pages;
    site.pages.get = (path) => get.call(site.pages, path) ?? repeat;
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
  });

  async function watched(fetchMode: "http" | "browser"): Promise<string> {
    const { id } = await product.rest.call("createTestObject", {
      body: { name: `Repeats ${fetchMode}`, url: site.url, fetch_mode: fetchMode, ignore_robots: true },
    });
    const body = { auth_enabled: true, auth_type: "bearer", auth_password: token };
    await product.rest.call("updateTestObject", { params: { id }, body });
    const { runId } = await product.rest.call("crawl", { params: { id }, body: {} });
    await runEnded(product, runId);
    const all = await product.rest.call("snapshotAll", { params: { id } });
    await runEnded(product, all.runId ?? "none");
    return id;
  }

  /** The tables whose rows contain a text as it is or percent-encoded. */
  async function tablesWith(text: string): Promise<string[]> {
    const tables = await product.db.query<{ name: string }>(
      "SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = current_schema()",
    );
    const found = await Promise.all(
      tables.map(async ({ name }) => {
        const [row] = await product.db.query<{ has: boolean }>(
          `SELECT EXISTS (SELECT 1 FROM ${name} AS r WHERE position($1 IN r::text) > 0 OR position($2 IN r::text) > 0) AS has`,
          [text, encodeURIComponent(text)],
        );
        return row?.has === true ? [name] : [];
      }),
    );
    return found.flat();
  }

  test.each(["http", "browser"] as const)("does not bring them into what is stored and shown (%s)", async (mode) => {
    site.requests.length = 0;
    const id = await watched(mode);
    const snapshots = await product.db.query<{ id: string; url: string; final_url: string | null; state: string }>(
      "SELECT s.id, i.url, s.final_url, s.state FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1 ORDER BY i.url",
      [id],
    );
    expect(snapshots).toMatchObject([
      { url: `${site.url}deep?as=***`, state: "done" },
      { url: `${site.url}in?as=***`, state: "done" },
    ]);
    // the control: the site did receive them, and repeated them
    expect(site.requests).toContain(`/in?as=${encodeURIComponent(`Bearer ${token}`)}`);
    expect(await tablesWith(token)).toEqual([]);
    expect(await tablesWith("in?as=***")).toContain("test_instance");
    const shown = await product.rest.call("getTestSnapshot", { params: { id: snapshots[0]?.id ?? "" } });
    expect(shown).toMatchObject({ headers: expect.stringContaining('"x-echo":"***"') });
  });
});
