import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createLoader } from "@web-tester/loader/load-page";
import type { PageRequest, PageResult } from "@web-tester/loader/page-result";
import { consentFor, createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createEgress, type Egress } from "@web-tester/platform/egress/egress";
import { httpBombs, serveBombs } from "../../benches/lib/http-bombs.mjs";
import { fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { shareProduct } from "../support/shared-product.js";

const deadlineMs = 2_000;
const bombs = httpBombs();
const names = Object.keys(bombs);
/** The bombs that take all the time they may; the product's own deadline is too long for a test. */
const slow = names.filter((name) => bombs[name]?.ends.includes("timed_out") === true);

let site: Awaited<ReturnType<typeof serveBombs>>;
let egress: Egress;

beforeAll(async () => {
  site = await serveBombs(bombs);
  egress = createEgress(createAddressPolicy({ private: "own-host", allow: [], ownAddresses: [] }));
});
afterAll(async () => {
  await egress?.close();
  await site?.close();
});

const load = (path: string, more: Partial<PageRequest> = {}, signal = new AbortController().signal) =>
  createLoader({ egress, userAgent: "web-tester-test/1.0" }).loadPage(
    { url: site.url + path, consent: consentFor(new URL(site.url)), deadlineMs: 60_000, ...more },
    signal,
  );
const endOf = (result: PageResult) => (result.kind === "failed" ? result.code : "done");

test("each bomb ends for a reason that is written down, and the pages beside it load", async () => {
  const ends: Record<string, string> = {};
  const waiting = [...names];
  const good: string[] = [];
  const light = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const result = await load(name, slow.includes(name) ? { deadlineMs } : {});
      ends[name] = endOf(result);
      if (result.kind === "failed") expect(result.message).toMatch(/^[A-Z].*\.$/);
    }
  };
  const beside = async () => {
    while (Object.keys(ends).length < names.length) {
      good.push(endOf(await load(`good/${good.length}`)));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  await Promise.all([light(), light(), light(), light(), beside()]);
  const wrong = names.filter((name) => bombs[name]?.ends.includes(ends[name] ?? "") !== true);
  expect(wrong.map((name) => [name, ends[name]])).toEqual([]);
  expect(good.length).toBeGreaterThan(3);
  expect(new Set(good)).toEqual(new Set(["done"]));
}, 120_000);

test("without the limits the same bombs go off", async () => {
  const over = { maxBytes: 100 * 1024 * 1024 };
  for (const name of ["gzip", "brotli", "zstd", "gzip-in-gzip", "zstd-in-brotli"]) {
    const result = await load(name, over);
    expect([name, result.kind === "page" ? result.body.length : result]).toEqual([name, 32 * 1024 * 1024]);
  }
  const stop = new AbortController();
  let ended = 0;
  const patient = slow.map((name) => load(name, {}, stop.signal).finally(() => ended++));
  // a load that began after these has already met the deadline that ends them in the test before
  expect(endOf(await load("silent", { deadlineMs }))).toBe("timed_out");
  expect(ended).toBe(0);
  stop.abort();
  for (const result of await Promise.all(patient)) expect(endOf(result)).toBe("cancelled");
}, 120_000);

test("the product records each, keeps what is a page, and takes the pages beside them", async () => {
  const product: Product = await shareProduct();
  try {
    const id = await register(product, site.url);
    await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http" } });
    const quick = names.filter((name) => !slow.includes(name));
    const paths = [...quick, ...Array.from({ length: 60 }, (_, index) => `good/${index}`)];
    await product.db.query(
      `INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) AS u`,
      [id, paths.map((path) => site.url + path)],
    );
    const fetcher = product.pidOf("fetcher");
    const run = await fetchAll(product, id);
    expect(run).toMatchObject({ state: "finished", completed: paths.length });
    const rows = await product.db.query<{ path: string; end: string; error: string | null }>(
      `SELECT substr(i.url, length($2) + 1) AS path, CASE s.state WHEN 'failed' THEN s.error_code ELSE s.state END AS "end", s.error
       FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE i.test_object_id = $1`,
      [id, site.url],
    );
    const wrong = rows.filter(({ path, end }) => !(bombs[path]?.ends ?? ["done"]).includes(end));
    expect(wrong).toEqual([]);
    for (const { error, end } of rows) if (end !== "done") expect(error).toMatch(/^[A-Z].*\.$/);
    // nothing brought the fetcher down
    expect(product.pidOf("fetcher")).toBe(fetcher);
  } finally {
    await product.stop();
  }
}, 120_000);
