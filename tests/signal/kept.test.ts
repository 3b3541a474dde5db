import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { BodyInput } from "@web-tester/contracts/api";
import { applyRetention } from "@web-tester/records/snapshots/apply-retention";
import { crawl, fetchAll, register } from "../support/job.js";
import type { Product } from "../support/product.js";
import { reachesLoopback, shareProduct } from "../support/shared-product.js";
import { startSite, type Site } from "../support/site.js";

/** Retention rules do not remove the snapshots of a fetch with a label, nor those that somebody has accepted. */
let product: Product;
let site: Site;

beforeAll(async () => {
  [product, site] = await Promise.all([
    shareProduct(reachesLoopback),
    startSite({ "/": `<a href="/a">a</a><a href="/b">b</a>` }),
  ]);
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

test("retention keeps the snapshots of labelled fetches, and the baseline of a page", async () => {
  const publish = (edition: number) => {
    for (const path of ["/a", "/b"]) site.pages.set(path, `<p>Edition ${edition} of ${path}</p>`);
  };
  publish(1);
  const id = await register(product, site.url);
  const set = (body: BodyInput<"updateTestObject">) => product.rest.call("updateTestObject", { params: { id }, body });
  await set({ noise_mode: "off" });
  await crawl(product, id);
  const runs: string[] = [];
  for (let edition = 1; edition <= 4; edition++) {
    publish(edition);
    await fetchAll(product, id);
    const { items } = await product.rest.call("listRuns", { params: { id } });
    runs.push(items.find(({ kind }) => kind === "snapshot-all")?.id ?? "");
  }
  const { items } = await product.rest.call("listTestInstances", { params: { id } });
  const pageOf = (path: string) => items.find(({ url }) => url.endsWith(path))?.id ?? "";
  await product.rest.call("updateRun", { params: { id: runs[0] ?? "" }, body: { label: "release 1.4" } });
  await product.rest.call("giveVerdict", {
    params: { id: runs[1] ?? "" },
    body: { instance_id: pageOf("/a"), verdict: "accepted" },
  });
  // not earlier: the product removes what the rules allow as soon as it checks them
  await set({ keep_snapshots: 1 });
  const trim = async () => {
    await product.db.query("UPDATE test_object SET retention_checked_at = NULL");
    await applyRetention({ db: product.db, signal: new AbortController().signal, onRemoved: () => undefined });
  };
  const numbersOf = async (path: string) =>
    (
      await product.db.query<{ number: number }>(
        "SELECT number FROM test_snapshot WHERE test_instance_id = $1 ORDER BY number",
        [pageOf(path)],
      )
    ).map(({ number }) => number);
  await trim();
  expect([await numbersOf("/a"), await numbersOf("/b")]).toEqual([
    [1, 2, 4],
    [1, 4],
  ]);
  // without the label and the verdict they are removed as all others are
  await product.rest.call("updateRun", { params: { id: runs[0] ?? "" }, body: { label: null } });
  await product.rest.call("takeVerdictBack", { params: { id: runs[1] ?? "" }, body: { instance_id: pageOf("/a") } });
  await trim();
  expect([await numbersOf("/a"), await numbersOf("/b")]).toEqual([[4], [4]]);
});
