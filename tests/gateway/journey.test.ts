import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import type { ServerFrame } from "@web-tester/contracts/socket";
import { type Backing, startBacking } from "../support/backing.js";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { startS3 } from "@web-tester/platform/object-store/test-s3";
import { manual, slowly, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/**
 * The main job over HTTP and websocket, on a real PostgreSQL, a real NATS and a real S3 API: those that come with the
 * product and s3rver, or with `TEST_CONTAINERS=1` three containers.
 */
const startServers = process.env["TEST_CONTAINERS"] === "1" ? startBacking : startS3;
describe("the main job", () => {
  const pageCount = 40;
  let backing: Backing;
  let product: Product;
  let site: Site;
  const frames: ServerFrame[] = [];

  beforeAll(async () => {
    backing = await startServers();
    [product, site] = await Promise.all([startProduct(backing.env), startSite(slowly(manual(pageCount, "first"), 10))]);
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
    await backing.close();
  });

  test("register, crawl, fetch, the site changes, fetch again, see what changed", async () => {
    const id = await register(product, site.url);
    const socket = new WebSocket(`${product.address.replace("http", "ws")}/ws`);
    socket.on("message", (data: Buffer) => frames.push(JSON.parse(data.toString("utf8")) as ServerFrame));
    await until("the welcome", () => frames[0]?.type === "welcome");
    socket.send(JSON.stringify({ type: "subscribe", testobjectId: id }));
    await until("the subscription", () => frames.some(({ type }) => type === "subscribed"));

    expect(await crawl(product, id)).toMatchObject({
      state: "finished",
      total: pageCount,
      completed: pageCount,
      failed: 0,
      found: pageCount,
    });
    const listed = await product.rest.call("listTestInstances", { params: { id }, query: { limit: 1000 } });
    expect(listed.total).toBe(pageCount);
    expect(new Set(listed.items.map(({ url }) => new URL(url).pathname))).toEqual(
      new Set(Object.keys(manual(pageCount, ""))),
    );
    expect(listed.items.find(({ url }) => url.endsWith("/p3.html"))?.name).toBe("Chapter 3");

    expect(await fetchAll(product, id)).toMatchObject({
      total: pageCount,
      completed: pageCount,
      failed: 0,
      changed: 0,
    });
    site.pages.set("/p1.html", manual(pageCount, "second")["/p1.html"] ?? "");
    site.pages.delete("/p2.html");
    expect(await fetchAll(product, id)).toMatchObject({
      total: pageCount,
      completed: pageCount,
      failed: 1,
      changed: 1,
    });

    const changed = await product.rest.call("listTestInstances", { params: { id }, query: { status: "changed" } });
    expect(
      changed.items.map(({ url, lines_added, lines_removed }) => [new URL(url).pathname, lines_added, lines_removed]),
    ).toEqual([["/p1.html", 1, 1]]);
    const failed = await product.rest.call("listTestInstances", { params: { id }, query: { status: "failed" } });
    expect(failed.items).toMatchObject([{ http_status: 404, error: expect.stringContaining("404 Not Found") }]);

    const [instance] = changed.items;
    const hunks = await product.rest.call("getDiffHunks", {
      query: { instance1: instance?.id, snapshot1: "1", instance2: instance?.id, snapshot2: "0" },
    });
    expect(hunks).toMatchObject({ identical: false, added: 1, removed: 1 });
    expect(
      hunks.hunks
        .flatMap(({ lines }) => lines)
        .filter(({ kind }) => kind !== "context")
        .map(({ kind, text }) => [kind, text]),
    ).toEqual([
      ["removed", "<p>first"],
      ["added", "<p>second"],
    ]);
    const pair = await product.rest.call("getDiff", { query: { a: hunks.a.id, b: hunks.b.id } });
    expect([pair.snapshot1.html, pair.snapshot2.html]).toEqual([
      manual(pageCount, "first")["/p1.html"],
      manual(pageCount, "second")["/p1.html"],
    ]);

    const object = await product.rest.call("getTestObject", { params: { id } });
    expect(object).toMatchObject({
      instances_total: pageCount,
      status_counts: { changed: 1, failed: 1 },
      progress: { snapshotAll: { completed: pageCount, total: pageCount, failed: 1, running: false } },
    });
    await until("the last progress frame", () =>
      frames.some((frame) => frame.type === "fetch:progress" && !frame.running && frame.failed === 1),
    );
    expect(new Set(frames.map(({ type }) => type))).toEqual(
      expect.objectContaining(
        new Set([
          "welcome",
          "subscribed",
          "crawl:progress",
          "snapshotAll:queued",
          "fetch:progress",
          "fetch:error",
          "snapshot:changed",
        ]),
      ),
    );
    for (const frame of frames)
      if (frame.type === "fetch:progress" || frame.type === "crawl:progress")
        expect(frame.completed).toBeLessThanOrEqual(frame.total);
    socket.close();
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("what is not changed costs no new content", async () => {
    const id = await register(product, site.url, "Again");
    await crawl(product, id);
    const count = "SELECT count(*)::int AS n FROM content WHERE hash NOT IN (SELECT content_hash FROM search_section)";
    const [before] = await product.db.query<{ n: number }>(count);
    await fetchAll(product, id);
    const [after] = await product.db.query<{ n: number }>(count);
    expect(after).toEqual(before);
  });

  test("requests to one site stay within the bound", () => {
    expect(site.inFlight().most).toBeGreaterThan(1);
    expect(site.inFlight().most).toBeLessThanOrEqual(8);
  });
});
