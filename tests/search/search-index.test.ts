import { createHash } from "node:crypto";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { createDataSource } from "@web-tester/records/schema/data-source";
import { openDatabase } from "@web-tester/platform/database/database";
import { hashContent, openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { filterRows } from "@web-tester/search-index/grams";
import { startStack } from "../../infra/local/stack.mjs";
import { startProduct, type Product } from "../support/product.js";
import { startSecond } from "../support/second-worker.js";
import { until } from "../support/until.js";

/*
 * The search index through all that can happen to it. The pages are in the order of their addresses, each with an old version
 * and a new one; some words are in every page, some in a third of the old versions, some in the last page only.
 */
const pages = 1_200;
const urlOf = (page: number) => `https://manual.example/${String(page).padStart(5, "0")}.html`;
function contentOf(page: number, version: 1 | 2): Buffer {
  const lines = Array.from({ length: 40 }, (_, line) =>
    createHash("sha256").update(`${page} ${line}`).digest("base64"),
  );
  const third = version === 1 && page % 3 === 0 ? "<p>every third page" : "";
  const last = page === pages - 1 ? "<p>§¶ the very last of the pages" : "";
  return Buffer.from(
    `<!doctype html><title>Page ${page}</title>\n<p>Words that all have, version ${version}\n${third}\n${lines.join("\n")}\n${last}\n`,
  );
}

/** Makes the data that a version without search leaves behind: rows and blobs, and no index of their words. */
async function makeOldData(dataDir: string): Promise<string> {
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], DATA_DIR: dataDir, PORT: "0" };
  const stack = await startStack(env, { services: false });
  const source = await createDataSource(stack.databaseUrl).initialize();
  const isThere = async () =>
    (await source.query<{ there: boolean }[]>(`SELECT to_regclass('search_entry') IS NOT NULL AS there`))[0]?.there;
  while ((await isThere()) === true) await source.undoLastMigration({ transaction: "each" });
  await source.destroy();
  const db = openDatabase(stack.databaseUrl, 4, () => undefined);
  const store = openObjectStore(stack.storageUrl);
  const contents = Array.from({ length: pages }, (_, page) => [contentOf(page, 1), contentOf(page, 2)] as const);
  const sizes = await Promise.all(
    contents.flat().map(async (bytes) => (await store.write(hashContent(bytes), bytes)).storedSize),
  );
  await db.query(
    `INSERT INTO content (hash, size, stored_size, stored) SELECT hash, size, stored_size, true FROM unnest($1::bytea[], $2::int[], $3::int[]) AS c (hash, size, stored_size)`,
    [contents.flat().map(hashContent), contents.flat().map(({ length }) => length), sizes],
  );
  const [object] = await db.query<{ id: string }>(
    `INSERT INTO test_object (name, url) VALUES ('Manual', 'https://manual.example/') RETURNING id`,
  );
  await db.query(
    `WITH page AS (
       SELECT * FROM unnest($2::text[], $3::bytea[], $4::bytea[]) AS p (url, one, other)
     ), made AS (
       INSERT INTO test_instance (test_object_id, url, name, snapshots_total, last_number) SELECT $1, url, url, 2, 2 FROM page RETURNING id, url
     )
     INSERT INTO test_snapshot (test_instance_id, number, state, content_hash, charset, fetched_at)
     SELECT m.id, n, 'done', CASE n WHEN 1 THEN p.one ELSE p.other END, 'utf-8', now()
     FROM made m JOIN page p ON p.url = m.url CROSS JOIN generate_series(1, 2) AS n ORDER BY m.url, n`,
    [
      object?.id,
      contents.map((_, page) => urlOf(page)),
      contents.map(([one]) => hashContent(one)),
      contents.map(([, other]) => hashContent(other)),
    ],
  );
  store.close();
  await db.close();
  await stack.stop();
  return object?.id ?? "";
}

describe("the search index", () => {
  let folder = "";
  let product: Product;
  let id = "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "web-tester-test-"));
    await chmod(folder, 0o711); // PostgreSQL runs as another user if the tests run as root
    id = await makeOldData(join(folder, "data"));
    product = await startProduct({ DATA_DIR: join(folder, "data") });
  });
  afterAll(async () => {
    await product.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(() => packed());

  const packed = () =>
    until("all contents in packs", async () => {
      const rows = await product.db.query(
        `SELECT 1 FROM search_entry WHERE pack_id IS NULL OR problem IS NOT NULL LIMIT 1`,
      );
      return rows.length === 0;
    });
  const summary = (q: string) => product.rest.call("searchSummary", { query: { q, testobject_id: id } });
  const found = async (q: string, query: { idx?: number; limit?: number } = {}) =>
    (await product.rest.call("search", { query: { q, testobject_id: id, limit: 500, ...query } })).map(
      ({ testInstanceUrl, snapshotNumber }) => `${testInstanceUrl} #${snapshotNumber}`,
    );
  const packIds = async () =>
    (await product.db.query<{ id: string }>(`SELECT id FROM search_pack ORDER BY id`)).map((row) => row.id);

  /** Lists exceptions to this: every content of a snapshot is in one pack, at the place that its entry says, and packs hold nothing else. */
  async function indexFaults(): Promise<unknown[]> {
    return product.db.query(
      `SELECT 'in no pack' AS fault, s.id::text FROM test_snapshot s WHERE NOT EXISTS (
         SELECT 1 FROM search_entry e WHERE e.content_hash = s.content_hash AND e.pack_id IS NOT NULL)
       UNION ALL
       SELECT 'at another place', e.content_hash::text FROM search_entry e JOIN search_pack p ON p.id = e.pack_id
       WHERE substring(p.hashes FROM e.position * 32 + 1 FOR 32) <> e.content_hash
       UNION ALL
       SELECT 'packed twice', sum(documents)::text FROM search_pack HAVING sum(documents) <> (SELECT count(*) FROM search_entry)`,
    );
  }

  async function expectWhole(versions = 2): Promise<void> {
    expect(await indexFaults()).toEqual([]);
    expect(await summary("Words that all have")).toMatchObject({
      matches: pages * versions,
      snapshots: pages * versions,
      partial: null,
    });
    expect(await found("the very last of")).toEqual(
      [2, 1].slice(0, versions).map((number) => `${urlOf(pages - 1)} #${number}`),
    );
  }

  /** Deletes all packs and waits until a differ packs the contents again; does so once more if the packing was over before it was seen. */
  async function packAnew(): Promise<void> {
    await until("a differ packs", async () => {
      await product.db.query(`DELETE FROM search_pack`);
      for (const end = Date.now() + 20_000; Date.now() < end;) {
        const [now] = await product.db.query<{ held: boolean; waits: boolean }>(
          `SELECT EXISTS (SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 7232 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) AS held,
                  EXISTS (SELECT 1 FROM search_entry WHERE pack_id IS NULL) AS waits`,
        );
        if (now?.held === true) return true;
        if (now?.waits === false) return false;
      }
      return false;
    });
  }

  test("takes in what was there before there was a search", async () => {
    await expectWhole();
    expect(await summary("EVERY THIRD page")).toMatchObject({ matches: pages / 3, snapshots: pages / 3 });
  });

  test("gives pages of a phrase that is everywhere, in order, and of one that is at the very end", async () => {
    const all = Array.from({ length: pages }, (_, page) => [`${urlOf(page)} #2`, `${urlOf(page)} #1`]).flat();
    expect(await found("title")).toEqual(all.slice(0, 500));
    expect(await found("ti", { limit: 7 })).toEqual(all.slice(0, 7));
    expect(await found("ti", { idx: 1, limit: 30 })).toEqual(all.filter((name) => name.endsWith("#1")).slice(0, 30));
    expect(await found("§¶")).toEqual(all.slice(-2));
    expect(await found("§¶", { idx: 0 })).toEqual(all.slice(-2, -1));
    expect(await found("¶§")).toEqual([]);
    expect(await found("third")).toEqual(
      all.filter((name, index) => name.endsWith("#1") && ((index - 1) / 2) % 3 === 0).slice(0, 500),
    );
    const seen: string[] = [];
    for (let cursor = "", turn = 0; turn < 3; turn += 1) {
      const response = await fetch(
        `${product.address}/api/search?q=al&testobject_id=${id}&limit=25${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      const results = (await response.json()) as { testInstanceUrl: string; snapshotNumber: number }[];
      seen.push(...results.map(({ testInstanceUrl, snapshotNumber }) => `${testInstanceUrl} #${snapshotNumber}`));
      cursor = response.headers.get("X-Search-Cursor") ?? "";
    }
    expect(seen).toEqual(all.slice(0, 75));
  });

  test("finds short phrases by rows of their own", async () => {
    const others = `SELECT pack_id FROM search_section WHERE length(filter) <> ${filterRows} * row_bytes`;
    expect(await product.db.query(others)).toEqual([]);
    const last = [2, 1].map((number) => `${urlOf(pages - 1)} #${number}`);
    expect([await found("§"), await found("¶ "), await found("¶x")]).toEqual([last, last, []]);
  });

  test("searches one instance by what that one had", async () => {
    const [instance] = await product.db.query<{ id: string }>(`SELECT id FROM test_instance WHERE url = $1`, [
      urlOf(3),
    ]);
    const where = { testinstance_id: instance?.id ?? "" };
    expect(await product.rest.call("searchSummary", { query: { q: "every third", ...where } })).toEqual({
      matches: 1,
      snapshots: 1,
      instances: 1,
      instancesTotal: 1,
      partial: null,
    });
    expect(await product.rest.call("search", { query: { q: "very last", ...where } })).toEqual([]);
    expect(
      (await product.rest.call("search", { query: { q: "ti", ...where } })).map((row) => row.snapshotIndex),
    ).toEqual([0, 1]);
  });

  test("is made whole after a differ was killed in the middle of packing", async () => {
    await packAnew();
    const killed = product.pidOf("differ");
    process.kill(killed, "SIGKILL");
    await until("another differ", () => product.pidOf("differ") !== killed);
    await packed();
    await expectWhole();
  });

  test("is made once where two differs are at it", async () => {
    const stop = startSecond(product, "differ");
    try {
      for (let turn = 0; turn < 3; turn += 1) {
        await packAnew();
        await packed();
        await expectWhole();
      }
    } finally {
      await stop();
    }
  });

  test("is made anew where it has an older format, and says until then that not all is searched", async () => {
    const pid = product.pidOf("differ");
    const before = await packIds();
    process.kill(pid, "SIGSTOP");
    try {
      await product.db.query(`UPDATE search_pack SET format = 0`);
      expect((await summary("words that ALL have")).partial).toContain("still being made searchable");
    } finally {
      process.kill(pid, "SIGCONT");
    }
    await until("no pack of the older format", async () => (await packIds()).every((pack) => !before.includes(pack)));
    await packed();
    await expectWhole();
  });

  test("is made anew where the object store has lost it, and says until then that not all is searched", async () => {
    // packs that nobody has searched yet, so that none is in memory
    const old = await packIds();
    await product.db.query(`UPDATE search_pack SET format = 0`);
    await until("new packs", async () => (await packIds()).every((pack) => !old.includes(pack)));
    await packed();
    const before = await packIds();
    const segments = await product.db.query<{ hash: Buffer }>(`SELECT content_hash AS hash FROM search_section`);
    for (const { hash } of segments) await product.store.delete(hash);
    const asked = async () => (await summary("LL have")).partial;
    await until("a search that meets it", async () => (await asked().catch(() => "")) !== null);
    await until("packs with bytes", async () => (await packIds()).every((pack) => !before.includes(pack)));
    await packed();
    await until("a search of everything", async () => (await asked()) === null);
    await expectWhole();
    const rows = await product.db.query<{ hash: Buffer; stored: boolean }>(
      `SELECT hash, stored FROM content WHERE hash IN (SELECT content_hash FROM search_section)`,
    );
    expect(rows.length).toBeGreaterThan(0);
    for (const { hash, stored } of rows) expect([stored, await product.store.has(hash)]).toEqual([true, true]);
  });

  test("lets go of what no snapshot has any more, and of nothing younger than the grace time", async () => {
    const restartDiffer = async () => {
      const before = product.pidOf("differ");
      process.kill(before, "SIGKILL");
      await until("another differ", () => product.pidOf("differ") !== before);
    };
    const entries = async () =>
      (await product.db.query<{ n: number }>(`SELECT count(*)::int AS n FROM search_entry`))[0]?.n;
    // delete more than half of what is packed
    await product.db.query(`DELETE FROM test_snapshot WHERE number = 1`);
    await product.db.query(
      `DELETE FROM test_snapshot s USING test_instance i WHERE i.id = s.test_instance_id AND right(i.url, 6) = '0.html'`,
    );
    const before = await packIds();
    const kept = (pages * 9) / 10;
    await product.db.query(
      `UPDATE search_entry SET touched_at = now() - interval '2 hours' WHERE content_hash NOT IN ($1, $2)`,
      [hashContent(contentOf(7, 1)), hashContent(contentOf(8, 1))],
    );
    await restartDiffer();
    // the two contents that were touched lately stay
    await until("the sweep", async () => (await entries()) === kept + 2);
    await until("packs without what was swept", async () => {
      const [row] = await product.db.query<{ n: number }>(`SELECT sum(documents)::int AS n FROM search_pack`);
      return row?.n === kept + 2;
    });
    expect((await packIds()).some((pack) => before.includes(pack))).toBe(false);
    expect(await indexFaults()).toEqual([]);
    expect(await summary("Words that all have")).toMatchObject({ matches: kept, snapshots: kept, partial: null });
    expect(await found("every third page")).toEqual([]);
    expect(await found("the very last of")).toEqual([`${urlOf(pages - 1)} #2`]);
  });
});
