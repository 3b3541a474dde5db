import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll, register } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { manual, startSite, type Site } from "../support/site.js";

/** The control experiment for all fault tests: each invariant that is broken on purpose is reported. */
describe("what the fault tests look at", () => {
  let product: Product;
  let site: Site;
  beforeAll(async () => {
    [product, site] = await Promise.all([startProduct(), startSite(manual(5, "text"))]);
    const id = await register(product, site.url);
    await crawl(product, id);
    await fetchAll(product, id);
    // stops the workers so that they do not repair what the tests break
    for (const worker of ["crawler", "fetcher", "differ"]) process.kill(product.pidOf(worker), "SIGSTOP");
  });
  afterAll(async () => {
    for (const worker of ["crawler", "fetcher", "differ"]) process.kill(product.pidOf(worker), "SIGCONT");
    await product.stop();
    await site.close();
  });

  const one = (table: string) => `(SELECT id FROM ${table} ORDER BY id LIMIT 1)`;
  const fetchRun = `(SELECT id FROM run WHERE kind = 'snapshot-all')`;
  test.each([
    [
      "I1",
      `UPDATE crawl_page SET state = 'queued' WHERE id = ${one("crawl_page")}`,
      `UPDATE crawl_page SET state = 'done'`,
    ],
    [
      "I1",
      `UPDATE test_snapshot SET state = 'running' WHERE id = ${one("test_snapshot")}`,
      `UPDATE test_snapshot SET state = 'done'`,
    ],
    ["I4 fetch", `UPDATE run SET completed = completed - 1 WHERE id = ${fetchRun}`, `UPDATE run SET completed = total`],
    ["I4 crawl", `UPDATE run SET total = total + 1 WHERE kind = 'crawl'`, `UPDATE run SET total = completed`],
    ["I4 changed", `UPDATE run SET changed = 1 WHERE id = ${fetchRun}`, `UPDATE run SET changed = 0`],
    ["I5 changes", `UPDATE change SET state = 'queued'`, `UPDATE change SET state = 'done'`],
    ["I5 runs", `UPDATE run SET state = 'running' WHERE id = ${fetchRun}`, `UPDATE run SET state = 'finished'`],
    [
      "instances whose counts",
      `UPDATE test_instance SET snapshots_total = 7`,
      `UPDATE test_instance SET snapshots_total = 1`,
    ],
    [
      "instances whose size",
      `UPDATE test_instance SET content_size = content_size + 1`,
      `UPDATE test_instance SET content_size = content_size - 1`,
    ],
    [
      "objects whose totals",
      `UPDATE object_total SET failed = failed + 1`,
      `UPDATE object_total SET failed = failed - 1`,
    ],
    ["I3", `UPDATE content SET stored = false`, `UPDATE content SET stored = true`],
  ])("%s, broken by %s", async (named, damage, repair) => {
    expect(await invariantFaults(product)).toEqual([]);
    await product.db.query(damage);
    expect((await invariantFaults(product)).join("\n")).toContain(named);
    await product.db.query(repair);
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("I2: the database itself refuses a second snapshot of one run and instance", async () => {
    const twice = `INSERT INTO test_snapshot (test_instance_id, run_id, number) SELECT test_instance_id, run_id, number FROM test_snapshot LIMIT 1`;
    await expect(product.db.query(twice)).rejects.toThrow("snapshot_once_per_run");
  });

  test("I3 and I6: bytes that are gone", async () => {
    const [content] = await product.db.query<{ hash: Buffer }>("SELECT hash FROM content LIMIT 1");
    if (content === undefined) throw new Error("nothing is stored");
    const bytes = await product.store.read(content.hash);
    await product.store.delete(content.hash);
    expect((await invariantFaults(product)).join("\n")).toContain("I3");
    await product.store.write(content.hash, bytes);
    expect(await invariantFaults(product)).toEqual([]);
  });

  test("I7: a run that a person was told of", async () => {
    await product.db.query(`DELETE FROM run WHERE kind = 'crawl'`);
    expect((await invariantFaults(product)).join("\n")).toContain("I7 run");
  });
});
