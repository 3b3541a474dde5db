import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { markLost } from "@web-tester/records/contents/stored-contents";
import { collectUnused } from "@web-tester/records/contents/collect-contents";
import { crawl, fetchAll, reached, register, runEnded, startFetch } from "../support/job.js";
import { startProduct, type Product } from "../support/product.js";
import { manual, startSite, type Site } from "../support/site.js";
import { deleteObject } from "../support/transfer.js";
import { until } from "../support/until.js";

/** The statistics agree with what is stored, to the byte, although nothing is counted when they are read. */
let product: Product;
let site: Site;
let objectId = "";

beforeAll(async () => {
  [product, site] = await Promise.all([startProduct({}, { servers: "own" }), startSite(manual(60, "first"))]);
  objectId = await register(product, site.url);
  await crawl(product, objectId);
  await fetchAll(product, objectId);
  await packed();
});
afterAll(async () => {
  await product.stop();
  await site.close();
});

/** Waits until all pages are packed for the search, a moment after they are stored: the packs count as stored, too. */
const packed = () =>
  until("all pages are packed", async () => {
    const waiting = await product.db.query(
      `SELECT 1 FROM test_snapshot s WHERE s.state = 'done' AND NOT EXISTS (
         SELECT 1 FROM search_entry e WHERE e.content_hash = s.content_hash AND e.pack_id IS NOT NULL) LIMIT 1`,
    );
    return waiting.length === 0;
  });

const said = async () => (await product.rest.call("getStats")).assets.bytes;
async function summed(): Promise<number> {
  const [row] = await product.db.query<{ bytes: number }>(
    "SELECT coalesce(sum(stored_size), 0)::float8 AS bytes FROM content WHERE stored",
  );
  return row?.bytes ?? -1;
}

test("says what the object store keeps", async () => {
  const { bytes } = await product.store.usage();
  expect(bytes).toBeGreaterThan(0);
  expect(await said()).toBe(bytes);
  expect(await summed()).toBe(bytes);
});

test("is right after the database died in the middle of a run", async () => {
  for (const [path, page] of Object.entries(manual(60, "second"))) site.pages.set(path, page);
  const before = await said();
  const runId = await startFetch(product, objectId);
  await reached(product, runId, 10);
  process.kill(product.pidOf("postgres"), "SIGKILL");
  await until("the database answers", () => product.db.check().then(() => true));
  await runEnded(product, runId);
  await packed();
  expect(await said()).toBeGreaterThan(before);
  expect(await said()).toBe(await summed());
});

test("follows what is lost, and what is stored again", async () => {
  const before = await said();
  const [row] = await product.db.query<{ hash: string; size: number }>(
    "SELECT encode(hash, 'hex') AS hash, stored_size AS size FROM content WHERE stored ORDER BY hash LIMIT 1",
  );
  if (row === undefined) throw new Error("Nothing is stored");
  expect(await markLost(product.db, row.hash)).toBe(true);
  expect(await said()).toBe(before - row.size);
  await product.db.query(
    "UPDATE content SET stored = true, stored_size = stored_size + 7 WHERE hash = decode($1, 'hex')",
    [row.hash],
  );
  expect(await said()).toBe(before + 7);
  expect(await said()).toBe(await summed());
  await product.db.query("UPDATE content SET stored_size = stored_size - 7 WHERE hash = decode($1, 'hex')", [row.hash]);
});

test("is right after many changes at once, some taken back, none of which waits for another", async () => {
  const before = await said();
  const bytesOf = (index: number) => Buffer.from(index.toString(16).padStart(64, "0"), "hex");
  const insert = "INSERT INTO content (hash, size, stored, stored_size) VALUES ($1, 1, true, $2)";
  let open = 0;
  let allOpen = () => {};
  const together = new Promise<void>((resolve) => (allOpen = resolve));
  const change = (index: number, isTakenBack: boolean) =>
    product.db.transaction(async (tx) => {
      await tx.query(insert, [bytesOf(index), 1_000 + index]);
      // all three hold their change open until the others have begun: if one waited for a row of another, they would deadlock
      open += 1;
      if (open === 3) allOpen();
      await together;
      await tx.query("UPDATE content SET stored_size = stored_size * 2 WHERE hash = $1", [bytesOf(index)]);
      if (isTakenBack) throw new Error("taken back");
    });
  await Promise.all([change(1, false), expect(change(2, true)).rejects.toThrow("taken back"), change(3, false)]);
  expect(await said()).toBe(before + 2 * (1_001 + 1_003));
  await product.db.query("DELETE FROM content WHERE hash = ANY($1)", [[bytesOf(1), bytesOf(3)]]);
  expect(await said()).toBe(before);
});

test("takes as many rows for many contents as for few", async () => {
  const rows = async () => (await product.db.query("SELECT 1 FROM stored_total")).length;
  const before = await said();
  const many = "FROM generate_series(1, 20000) AS n";
  await product.db.query(
    `INSERT INTO content (hash, size, stored, stored_size) SELECT sha256(('many ' || n)::bytea), 1, true, n ${many}`,
  );
  expect(await said()).toBe(before + (20_000 * 20_001) / 2);
  expect(await rows()).toBeLessThan(50);
  await product.db.query(`DELETE FROM content WHERE hash IN (SELECT sha256(('many ' || n)::bytea) ${many})`);
  expect(await said()).toBe(before);
});

test("comes to nothing when all is deleted and freed", async () => {
  await deleteObject(product, objectId);
  await product.db.query("UPDATE content SET touched_at = now() - interval '2 hours'");
  const signal = new AbortController().signal;
  await collectUnused({ db: product.db, store: product.store, graceMs: 3_600_000, signal });
  expect(await summed()).toBe(0);
  expect(await said()).toBe(0);
});
