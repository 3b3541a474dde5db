import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { touchContent } from "@web-tester/records/contents/touch-contents";
import { hashContent } from "@web-tester/platform/object-store/open-object-store";
import { isUnused } from "@web-tester/records/contents/content-references";
import { collectStrays, collectUnused } from "@web-tester/records/contents/collect-contents";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { until } from "../support/until.js";

/** Bytes that a row refers to are never removed; those that nothing refers to are removed after the grace time. */
describe("collecting content", () => {
  let product: Product;
  let site: Site;
  const going = new AbortController().signal;
  const collection = (graceMs: number) => ({ db: product.db, store: product.store, graceMs, signal: going });
  const age = (hours: number) =>
    product.db.query("UPDATE content SET touched_at = now() - $1::int * interval '1 hour'", [hours]);
  const counted = async (what: string) =>
    (await product.db.query<{ n: number }>(`SELECT count(*)::int AS n FROM content c WHERE ${what}`))[0]?.n ?? 0;
  const contents = () => counted("hash IN (SELECT content_hash FROM test_snapshot)");
  /** Waits until all contents are packed: a pack that is made while contents are counted would change their number. */
  const packed = () =>
    until("all contents in packs", async () => {
      const rows = await product.db.query(`SELECT 1 FROM search_entry WHERE pack_id IS NULL`);
      return rows.length === 0;
    });

  beforeAll(async () => {
    [product, site] = await Promise.all([startProduct(), startSite(manual(30, "kept"))]);
  });
  afterAll(async () => {
    await product.stop();
    await site.close();
  });

  test("what snapshots refer to stays, however old; what a deletion leaves goes", async () => {
    const kept = await register(product, site.url);
    await crawl(product, kept);
    await fetchAll(product, kept);
    for (const [path, page] of Object.entries(manual(30, "deleted"))) site.pages.set(path, page);
    const gone = await register(product, site.url, "Gone");
    await crawl(product, gone);
    await fetchAll(product, gone);
    await packed();
    expect(await contents()).toBe(60);
    await product.rest.call("deleteTestObject", { params: { id: gone } });
    product.acknowledged = product.acknowledged.filter(({ objectId }) => objectId !== gone);
    await until("the deletion", async () => (await product.rest.call("listTestObjects")).length === 1);

    expect(await collectUnused(collection(3_600_000))).toBe(0); // all contents are too young
    await age(2);
    // 30 pages, and the contents that make them searchable
    const unused = await counted(isUnused("c"));
    expect(unused).toBeGreaterThanOrEqual(32);
    expect(await counted("hash IN (SELECT content_hash FROM search_section)")).toBeGreaterThanOrEqual(2);
    expect(await collectUnused(collection(3_600_000))).toBe(unused);
    expect(await contents()).toBe(30);
    expect(await counted(isUnused("c"))).toBe(0);
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("bytes without a row go when they are old, and only they", async () => {
    const bytes = randomBytes(1_000);
    await product.store.write(hashContent(bytes), bytes);
    expect(await collectStrays(collection(3_600_000))).toBe(0);
    await until("bytes of some age", async () => (await collectStrays(collection(50))) === 1);
    expect(await product.store.has(hashContent(bytes))).toBe(false);
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("a writer that meets the collector ends with its bytes stored, in every order", async () => {
    const bytes = randomBytes(2_000);
    const hash = hashContent(bytes);
    const hex = hash.toString("hex");
    for (let turn = 0; turn < 40; turn++) {
      // an old, unreferenced content, which the collector removes
      await product.store.write(hash, bytes);
      await product.db.query(
        "INSERT INTO content (hash, size, stored, touched_at) VALUES ($1, $2, true, now() - interval '2 hours') ON CONFLICT (hash) DO UPDATE SET touched_at = EXCLUDED.touched_at, stored = true",
        [hash, bytes.length],
      );
      const write = async () => {
        for (let wait = turn % 8; wait > 0; wait--) await product.db.query("SELECT 1");
        const missing = await touchContent(product.db, new Map([[hex, bytes.length]]));
        if (missing.has(hex)) await product.store.write(hash, bytes);
      };
      await Promise.all([collectUnused(collection(3_600_000)), collectStrays(collection(0)), write()]);
      const [row] = await product.db.query("SELECT 1 FROM content WHERE hash = $1", [hash]);
      expect(row).toBeDefined();
      expect(await product.store.has(hash)).toBe(true);
    }
  });
});
