import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { TestSnapshot } from "@web-tester/contracts/entities/snapshot";
import { type BadPage, badPages, chain, closedAddress, drip, startUntrustedSite } from "../support/bad-pages.js";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register, runEnded, startFetch } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** However a site misbehaves, the snapshot tells the reason in a sentence, and the run ends with all of its pages counted. */
let product: Product;
let dripping: { site: Site; snapshotId: string };

beforeAll(async () => {
  product = await startProduct();
  dripping = await startDripping();
});
afterAll(async () => {
  await product.stop();
  await dripping.site.close();
});

/** Starts the fetch of a page that never ends sending; it is checked last, because it takes the whole time that a page may take. */
async function startDripping() {
  const site = await startSite({ "/": "<title>Quick</title>" });
  const id = await register(product, site.url, "Dripping");
  await crawl(product, id);
  const { items } = await product.rest.call("listTestInstances", { params: { id } });
  site.pages.set("/", drip);
  const { id: snapshotId } = await product.rest.call("createTestSnapshot", {
    body: { testinstance_id: items[0]?.id ?? "" },
  });
  // counts two of its three attempts as failed already, because each would take the whole 30 s
  await product.db.query("UPDATE test_snapshot SET attempts = 2, failures = 2 WHERE id = $1", [snapshotId]);
  await product.rest.call("fetchTestSnapshot", { params: { id: snapshotId }, query: { action: "fetch" } });
  return { site, snapshotId };
}

/** Takes the snapshot of an object's own address and waits for its end. */
async function snapshotOf(url: string): Promise<TestSnapshot> {
  const id = await register(product, url);
  const { testsnapshotId } = await product.rest.call("snapshotOne", { params: { id } });
  return finalSnapshot(testsnapshotId);
}

function finalSnapshot(id: string): Promise<TestSnapshot> {
  return until(`the end of snapshot ${id}`, async () => {
    const snapshot = await readSnapshot(id);
    return snapshot.state === "done" || snapshot.state === "failed" ? snapshot : undefined;
  });
}

async function readSnapshot(id: string): Promise<TestSnapshot> {
  const snapshot = await product.rest.call("getTestSnapshot", { params: { id } });
  if (Array.isArray(snapshot)) throw new Error("These are assets, not a snapshot");
  return snapshot;
}

/** Expects a sentence for a person, without an error code, a stack trace or an undefined value. */
function expectWorded(text: string | null): void {
  expect(text).toMatch(/^([A-Z“]|https?:\/\/).{30,500}\.$/s);
  expect(text).not.toMatch(/undefined|null|NaN|\[object|\bat .+:\d+:\d+|Error:/);
}

describe("a site whose pages go bad", () => {
  let site: Site;
  let elsewhere: Site;
  let pages: Record<string, BadPage>;
  let objectId: string;
  let fetcherPid: number;
  /** The newest snapshot of each page, by path. */
  const snapshots = new Map<string, TestSnapshot>();

  beforeAll(async () => {
    elsewhere = await startSite({ "/reachable": "<title>Reachable</title>" });
    pages = await badPages({ elsewhere: elsewhere.url, product: product.address });
    const paths = Object.keys(pages);
    const links = paths.map((path) => `<a href="${path}">${path}</a>`).join("\n");
    site = await startSite({
      "/": `<!doctype html><title>Root</title>\n${links}`,
      ...Object.fromEntries(paths.map((path) => [path, `<!doctype html><title>Good ${path}</title>`])),
      ...chain,
    });
    objectId = await register(product, site.url);
    fetcherPid = product.pidOf("fetcher");
  });
  afterAll(async () => {
    await site.close();
    await elsewhere.close();
  });

  test("is crawled while all is well, and fetched when it is not: the run ends, failures counted", async () => {
    const paths = Object.keys(pages);
    expect(await crawl(product, objectId)).toMatchObject({
      total: paths.length + 1,
      completed: paths.length + 1,
      failed: 0,
      found: paths.length + 1,
    });
    for (const [path, { page }] of Object.entries(pages)) site.pages.set(path, page);
    const failed = Object.values(pages).filter(({ expected }) => expected.state === "failed").length;
    expect(await fetchAll(product, objectId)).toMatchObject({
      state: "finished",
      total: paths.length + 1,
      completed: paths.length + 1,
      failed,
    });

    const object = await product.rest.call("getTestObject", { params: { id: objectId } });
    expect(object).toMatchObject({
      status_counts: { failed },
      progress: { snapshotAll: { total: paths.length + 1, completed: paths.length + 1, failed, running: false } },
    });
    const { items } = await product.rest.call("listTestInstances", {
      params: { id: objectId },
      query: { limit: 1000 },
    });
    for (const item of items) {
      const { pathname } = new URL(item.url);
      const instance = await product.rest.call("getTestInstance", { params: { id: item.id } });
      const [newest] = instance.testsnapshots;
      if (newest === undefined) throw new Error(`${pathname} has no snapshot`);
      snapshots.set(pathname, await readSnapshot(newest.id));
      // the list of instances, the instance and the snapshot itself agree
      expect(snapshots.get(pathname)).toMatchObject({
        state: newest.state,
        error: newest.error,
        error_code: newest.error_code,
        warning: newest.warning,
        http_status: newest.http_status,
      });
      expect(item).toMatchObject({
        status: newest.state === "failed" ? "failed" : expect.not.stringMatching(/failed/),
        error: newest.error,
        http_status: newest.http_status,
      });
    }
    expect(snapshots.size).toBe(paths.length + 1);
    expect(snapshots.get("/")).toMatchObject({ state: "done", error: null, warning: null });
  });

  test("every page has its reason", () => {
    const told: Record<string, unknown> = {};
    const wanted: Record<string, unknown> = {};
    for (const [path, { title, expected }] of Object.entries(pages)) {
      const key = `${path}: ${title}`;
      const snapshot = snapshots.get(path);
      if (snapshot === undefined) throw new Error(`${path} has no snapshot`);
      const { state, error_code, error, warning, http_status, attempts, html } = snapshot;
      told[key] = { state, error_code, error, warning, http_status, attempts, html };
      wanted[key] =
        expected.state === "failed"
          ? {
              state: "failed",
              error_code: expected.code,
              error: expect.stringMatching(expected.error),
              warning: null,
              http_status: expected.status,
              attempts: expected.attempts ?? expect.any(Number),
              html: "",
            }
          : {
              state: "done",
              error_code: null,
              error: null,
              warning: expect.stringMatching(expected.warning),
              http_status: 200,
              attempts: 1,
              html: typeof expected.html === "string" ? expected.html : expect.stringMatching(expected.html),
            };
      expectWorded(error ?? warning);
    }
    expect(told).toEqual(wanted);
  });

  test("the guard refused what was there to be reached", async () => {
    expect(elsewhere.requests).toEqual([]);
    expect(await snapshotOf(`${elsewhere.url}reachable`)).toMatchObject({
      state: "done",
      html: "<title>Reachable</title>",
    });
    expect(elsewhere.requests).toEqual(["/reachable"]);
  });

  test("the same fetcher took it all", () => {
    expect(product.pidOf("fetcher")).toBe(fetcherPid);
  });

  // only Linux tells the peak memory of another process
  (process.platform === "linux" ? test : test.skip)("in bounded memory (needs Linux)", async () => {
    const status = await readFile(`/proc/${fetcherPid}/status`, "utf8");
    expect(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1])).toBeLessThan(300 * 1024);
  });

  test("a crawl of it ends, failures counted", async () => {
    const id = await register(product, site.url, "Crawled when bad");
    const run = await crawl(product, id);
    expect(run.completed).toBe(run.total);
    expect(run.total).toBeGreaterThanOrEqual(Object.keys(pages).length + 1);
    expect(run.failed).toBeGreaterThan(20);
    const rows = await product.db.query<{ url: string; error_code: string | null; error: string | null }>(
      "SELECT p.url, p.error_code, p.error FROM crawl_page p JOIN run r ON r.id = p.run_id WHERE r.test_object_id = $1 AND p.state = 'failed'",
      [id],
    );
    expect(rows).toHaveLength(run.failed);
    for (const { error } of rows) expectWorded(error);
  });

  test("what is good again is fetched again", async () => {
    for (const path of Object.keys(pages)) site.pages.set(path, `<!doctype html><title>Good ${path}</title>`);
    expect(await runEnded(product, await startFetch(product, objectId))).toMatchObject({
      completed: snapshots.size,
      failed: 0,
    });
  });
});

describe("hosts that cannot be reached", () => {
  test("nothing listens", async () => {
    expectFailed(
      await snapshotOf(await closedAddress()),
      "connection_failed",
      /connection was refused.*Tried 3 times/,
      3,
    );
  });

  test("the name does not exist", async () => {
    expectFailed(
      await snapshotOf("http://no-such-host.invalid/"),
      "dns_failed",
      /no-such-host\.invalid could not be (found|looked up).*Tried 3 times/,
      3,
    );
  });

  test("the certificate is nobody's", async () => {
    const untrusted = await startUntrustedSite();
    expectFailed(await snapshotOf(untrusted.url), "tls_failed", /self-signed/, 1);
    await untrusted.close();
  });

  test("https where only http is spoken", async () => {
    const site = await startSite({ "/": "<title>Plain</title>" });
    expectFailed(
      await snapshotOf(site.url.replace("http:", "https:")),
      "tls_failed",
      /handshake failed.*serves https/,
      1,
    );
    expect(await snapshotOf(site.url)).toMatchObject({ state: "done" });
    await site.close();
  });

  test.each(["http://169.254.169.254/latest/meta-data/", "http://0.0.0.0/", "http://[ff02::1]/"])(
    "%s is never fetched",
    async (url) => {
      expectFailed(await snapshotOf(url), "address_refused", /never fetched/, 1);
    },
  );

  test("the product itself is not fetched", async () => {
    expectFailed(
      await snapshotOf(`${product.address}/api/testobjects`),
      "address_refused",
      /where this product itself listens/,
      1,
    );
  });

  test("a server that sends a byte a second is given up when its time is over", async () => {
    expectFailed(
      await finalSnapshot(dripping.snapshotId),
      "timed_out",
      /stopped after 30 s: only \d+ bytes.*Tried 3 times/,
      3,
    );
  });

  test("their runs have ended, each with one failure of one page", async () => {
    const runs = await product.db.query<{ n: number }>(
      "SELECT count(*)::int AS n FROM run WHERE kind = 'snapshot-one' AND state = 'finished' AND failed = 1 AND completed = 1 AND total = 1",
    );
    expect(runs).toEqual([{ n: 9 }]);
    expect(await invariantFaults(product)).toEqual([]);
  });
});

function expectFailed(snapshot: TestSnapshot, code: string, error: RegExp, attempts: number): void {
  expect(snapshot).toMatchObject({ state: "failed", error_code: code, error: expect.stringMatching(error), attempts });
  expectWorded(snapshot.error);
}
