import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { instanceStatus } from "@web-tester/contracts/entities/vocabulary";
import { migrate, schemaDrift } from "@web-tester/records/schema/data-source";
import { migrationNames } from "@web-tester/records/schema/migrations";
import { openDatabase, type Database } from "@web-tester/platform/database/database";
import { hashContent, openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { programOf } from "../../infra/local/bundled.mjs";
import { startStack, type Stack } from "../../infra/local/stack.mjs";
import { invariantFaults } from "../support/invariants.js";
import { crawl, fetchAll } from "../support/job.js";
import { startProduct } from "../support/product.js";
import { manual, type Site, startSite } from "../support/site.js";
import { compared } from "../support/transfer.js";
import { until } from "../support/until.js";

/** The data of older versions survives every upgrade and every downgrade, and is served afterwards. */
let folder: string;
let stack: Stack;
let site: Site;
/** The schema that all migrations make in an empty database. */
let schema: unknown[];
const pageCount = 3;
const page = (path: string, text: string) => manual(pageCount, text)[path] ?? "";
const paths = Object.keys(manual(pageCount, ""));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "web-tester-test-"));
  await chmod(folder, 0o711); // PostgreSQL runs as another user if the tests run as root
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], DATA_DIR: join(folder, "data"), PORT: "0" };
  [stack, site] = await Promise.all([startStack(env, { services: false }), startSite(manual(pageCount, "third"))]);
  await administer("CREATE DATABASE whole");
  const url = addressOf("whole");
  await migrate(url);
  expect(await schemaDrift(url)).toEqual([]);
  const db = openDatabase(url, 1, () => undefined);
  schema = await schemaOf(db);
  expect(schema.length).toBeGreaterThan(500);
  await db.close();
});
afterAll(async () => {
  await stack.stop();
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

async function administer(sql: string): Promise<void> {
  const admin = openDatabase(stack.databaseUrl, 1, () => undefined);
  await admin.query(sql);
  await admin.close();
}

const addressOf = (name: string) => new URL(`/${name}`, stack.databaseUrl).href;

/** Describes all of a database but its rows. Two with equal descriptions differ in nothing that `schemaDrift` finds, which takes a hundred queries. */
async function schemaOf(db: Database): Promise<unknown[]> {
  const ours = "relnamespace = 'public'::regnamespace";
  const rows = await db.query<{ part: string }>(
    `SELECT part FROM (
       SELECT concat_ws(' ', 'column', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
                a.attcollation::regcollation, pg_get_expr(d.adbin, d.adrelid)) AS part
         FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
        WHERE c.${ours} AND c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped
       UNION ALL SELECT concat_ws(' ', 'relation', relname, relkind, reloptions) FROM pg_class WHERE ${ours}
       UNION ALL SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE c.${ours}
       UNION ALL SELECT concat_ws(' ', 'constraint', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
         FROM pg_constraint c WHERE c.connamespace = 'public'::regnamespace
       UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.${ours} AND NOT t.tgisinternal
       UNION ALL SELECT pg_get_functiondef(p.oid) FROM pg_proc p WHERE p.pronamespace = 'public'::regnamespace AND p.prokind IN ('f', 'p')
       UNION ALL SELECT concat_ws(' ', 'label', e.enumtypid::regtype, e.enumsortorder, e.enumlabel) FROM pg_enum e
     ) AS parts ORDER BY part`,
  );
  return rows.map(({ part }) => part);
}

/** Makes a database with the schema of the first `steps` migrations, and a store beside it. */
async function olderProduct(name: string, steps: number) {
  const url = addressOf(name);
  await administer(`CREATE DATABASE ${name}`);
  await migrate(url, steps);
  const objects = join(folder, name);
  await mkdir(objects);
  const db = openDatabase(url, 2, () => undefined);
  return { url, storageUrl: pathToFileURL(objects).href, db };
}

/**
 * Writes what a version with the first schema writes: a crawl and two fetches of a site, the second with one page changed
 * and one that failed. Every later step knows these columns.
 */
async function fillBase(db: Database, storageUrl: string): Promise<void> {
  const store = openObjectStore(storageUrl);
  const [object] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url, exclude_list) VALUES ('Manual', $1, '{/private*}') RETURNING id",
    [site.url],
  );
  const run = async (kind: string, failed: number) => {
    const [row] = await db.query<{ id: string }>(
      `INSERT INTO run (test_object_id, kind, state, total, completed, failed, changed, found, found_new, finished_at)
       VALUES ($1, $2, 'finished', $3, $3, $4, $5, $6, $6, now()) RETURNING id`,
      [object?.id, kind, pageCount, failed, failed, kind === "crawl" ? pageCount : 0],
    );
    return row?.id;
  };
  const [crawled, first, second] = [await run("crawl", 0), await run("snapshot-all", 0), await run("snapshot-all", 1)];
  for (const [index, path] of paths.entries()) {
    const [instance] = await db.query<{ id: string }>(
      `INSERT INTO test_instance (test_object_id, url, name, status, snapshots_total, last_number, last_snapshot_at, http_status)
       VALUES ($1, $2, $3, 4, 2, 2, now(), 200) RETURNING id`,
      [object?.id, new URL(path, site.url).href, `Chapter ${index}`],
    );
    await db.query(
      `INSERT INTO crawl_page (run_id, url, depth, state, outcome, http_status, test_instance_id) VALUES ($1, $2, 1, 'done', 'page', 200, $3)`,
      [crawled, new URL(path, site.url).href, instance?.id],
    );
    let previous: string | null = null;
    for (const [at, runId] of [first, second].entries()) {
      const fails = at === 1 && index === pageCount - 1;
      const html = Buffer.from(page(path, at === 1 && index === 0 ? "second" : "first"));
      const hash = hashContent(html);
      const { storedSize } = await store.write(hash, html);
      await db.query(
        "INSERT INTO content (hash, size, stored_size, stored) VALUES ($1, $2, $3, true) ON CONFLICT DO NOTHING",
        [hash, html.length, storedSize],
      );
      const [snapshot]: { id: string }[] = await db.query<{ id: string }>(
        `INSERT INTO test_snapshot (test_instance_id, run_id, number, state, attempts, fence, fetched_at, duration_ms, content_hash, charset, headers, http_status, final_url, error_code, error)
         VALUES ($1, $2, $3, $4, 1, 1, now(), 12, $5, 'utf-8', '{"content-type": "text/html"}', $6, $7, $8, $9) RETURNING id`,
        [
          instance?.id,
          runId,
          at + 1,
          fails ? "failed" : "done",
          fails ? null : hash,
          fails ? 404 : 200,
          new URL(path, site.url).href,
          fails ? "http_status" : null,
          fails ? "The server answered 404 Not Found." : null,
        ],
      );
      await db.query("UPDATE test_instance SET last_snapshot_id = $2 WHERE id = $1", [instance?.id, snapshot?.id]);
      if (fails) continue;
      await db.query("INSERT INTO change (snapshot_id, previous_id, state, kind) VALUES ($1, $2, 'done', $3)", [
        snapshot?.id,
        previous,
        previous === null ? "first" : index === 0 ? "changed" : "unchanged",
      ]);
      previous = snapshot?.id ?? null;
    }
  }
  store.close();
}

/** Inserts a row into each table that came after the first schema, if the step has that table and it is empty. */
async function fillLater(db: Database): Promise<void> {
  const names = await tableNames(db);
  const empty: string[] = [];
  for (const name of names) {
    const [{ filled } = { filled: false }] = await db.query<{ filled: boolean }>(
      `SELECT EXISTS (SELECT FROM ${name}) AS filled`,
    );
    if (!filled) empty.push(name);
  }
  const rows: Record<string, string> = {
    crawl_skip:
      "INSERT INTO crawl_skip (run_id, url, reason) SELECT id, 'http://x.example/', 'scope' FROM run WHERE kind = 'crawl'",
    robots_file:
      "INSERT INTO robots_file (origin, status, body, expires_at) VALUES ('http://x.example', 200, 'User-agent: *', now())",
    host_gate: "INSERT INTO host_gate (host, next_at) VALUES ('x.example', now())",
    crawl_link: "INSERT INTO crawl_link (run_id, page_ids, links) SELECT id, '{}', '' FROM run WHERE kind = 'crawl'",
    crawl_carrier:
      "INSERT INTO crawl_carrier (run_id, target_id, piece, pages, page_ids) SELECT id, uuidv7(), uuidv7(), 0, '{}' FROM run WHERE kind = 'crawl'",
    file_list:
      "WITH l AS (INSERT INTO file_list (test_object_id, digest, files, missing) SELECT id, '', 1, 0 FROM test_object RETURNING id) UPDATE test_snapshot s SET files_id = l.id FROM l WHERE s.state = 'done'",
    snapshot_asset: names.includes("file_list")
      ? "INSERT INTO snapshot_asset (list_id, url, kind, content_hash) SELECT files_id, 'http://x.example/a.css', 'stylesheet', content_hash FROM test_snapshot WHERE state = 'done' LIMIT 1"
      : "INSERT INTO snapshot_asset (snapshot_id, url, kind, content_hash) SELECT id, 'http://x.example/a.css', 'stylesheet', content_hash FROM test_snapshot WHERE state = 'done'",
    site_asset:
      "INSERT INTO site_asset (test_object_id, url, content_hash) SELECT o.id, 'http://x.example/a.css', hash FROM test_object o, content LIMIT 1",
    search_entry:
      "INSERT INTO search_entry (test_object_id, content_hash, charset, instance_id) SELECT i.test_object_id, s.content_hash, 'utf-8', min(i.id::text)::uuid FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE s.content_hash IS NOT NULL GROUP BY 1, 2",
    import_job: "INSERT INTO import_job (state, finished_at) VALUES ('finished', now())",
    visual_cache: "INSERT INTO visual_cache (key, value) VALUES ('\\x00', '{}')",
  };
  for (const name of empty) if (rows[name] !== undefined) await db.query(rows[name]);
}

async function tableNames(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'migration' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}

/** Returns all rows of all tables, by table. */
async function allRows(db: Database): Promise<Record<string, Record<string, unknown>[]>> {
  const rows: Record<string, Record<string, unknown>[]> = {};
  const names = await tableNames(db);
  for (const name of names) {
    const table = name === "snapshot_asset" ? filesOfSnapshots(names.includes("file_list")) : name;
    rows[name] = (
      await db.query<{ row: Record<string, unknown> }>(`SELECT to_jsonb(t) AS row FROM ${table} t ORDER BY t`)
    ).map(({ row }) => row);
  }
  return rows;
}

/** Returns SQL for the files of each snapshot. Since snapshots share lists, a file has no row per snapshot, and so no id of its own there. */
function filesOfSnapshots(areShared: boolean): string {
  const columns = "a.url, a.base_url, a.kind, a.content_hash, a.content_type, a.extension, a.error";
  return areShared
    ? `(SELECT s.id AS snapshot_id, ${columns} FROM test_snapshot s JOIN snapshot_asset a ON a.list_id = s.files_id)`
    : `(SELECT a.snapshot_id, ${columns} FROM snapshot_asset a)`;
}

/** A cache that one step empties, since it cannot be told which of its answers objects with different credentials had shared. */
const emptiedByAStep = "robots_file";
const emptyingStep = migrationNames.indexOf("CrawlRules1700000018000") + 1;

/** Returns a row as the next step changes it: the status of an instance was a position before it became a word. */
function asTheNextHasIt(step: number, table: string, row: Record<string, unknown>): Record<string, unknown> {
  const { status } = row;
  const becomesWord = migrationNames[step] === "StatusWords1700000019000" && table === "test_instance";
  return becomesWord ? { ...row, status: instanceStatus.options[Number(status)] } : row;
}

describe("one step after the other, with a row in every table", () => {
  const steps = migrationNames.map((name, index) => [index + 1, name] as const).slice(0, -1);
  let place: Awaited<ReturnType<typeof olderProduct>>;
  let first: Record<string, Record<string, unknown>[]>;
  beforeAll(async () => {
    place = await olderProduct("climbing", 1);
    await fillBase(place.db, place.storageUrl);
  });
  afterAll(() => place.db.close());

  test.each(steps)("forward from step %i (%s) and back: every row is as it was", async (step) => {
    const { url, db } = place;
    await fillLater(db);
    const [made, { [emptiedByAStep]: known, ...before }] = [await schemaOf(db), await allRows(db)];
    expect(before["test_snapshot"]).toHaveLength(2 * pageCount);
    if (step === 1) first = before;
    expect(await migrate(url, step + 1)).toEqual([migrationNames[step]]);
    const after = await allRows(db);
    // every row from before the step is still there, with values in columns that are new
    for (const [table, rows] of Object.entries(before)) {
      if (after[table] === undefined) continue;
      expect([table, after[table].length]).toEqual([table, rows.length]);
      for (const [index, row] of rows.entries())
        expect(after[table][index]).toMatchObject(asTheNextHasIt(step, table, row));
    }
    await migrate(url, step);
    expect(await schemaOf(db)).toEqual(made);
    const { [emptiedByAStep]: forgotten, ...back } = await allRows(db);
    expect(back).toEqual(before);
    expect(forgotten ?? []).toEqual(step === emptyingStep - 1 ? [] : (known ?? []));
    await migrate(url, step + 1);
  });

  test("and from the last step to the first at once, and up again", async () => {
    const { url, db } = place;
    expect(await schemaOf(db)).toEqual(schema);
    await migrate(url, 1);
    const { [emptiedByAStep]: _, ...rows } = await allRows(db);
    expect(rows).toEqual(first);
    expect(await migrate(url)).toEqual(migrationNames.slice(1));
    expect(await schemaOf(db)).toEqual(schema);
  });
});

test("a schema that differs is noticed", async () => {
  const { url, db } = await olderProduct("spoilt", migrationNames.length);
  expect(await schemaOf(db)).toEqual(schema);
  await db.query("ALTER TABLE run ALTER total SET DEFAULT 7");
  expect(await schemaOf(db)).not.toEqual(schema);
  expect(await schemaDrift(url)).not.toEqual([]);
  await db.close();
});

test("a changed page that an older version deleted waits for review no more", async () => {
  const step = migrationNames.indexOf("SettledAgain1700000063000");
  const { url, storageUrl, db } = await olderProduct("waiting", step);
  await fillBase(db, storageUrl);
  const waiting = async () => {
    const rows = await db.query<{ n: number }>(
      `SELECT changed - settled AS n FROM run WHERE kind = 'snapshot-all' ORDER BY id DESC LIMIT 1`,
    );
    return rows[0]?.n;
  };
  // a changed page that exists and nobody looked at still waits
  await migrate(url, step + 1);
  expect(await waiting()).toBe(1);
  await migrate(url, step);
  await db.query(`DELETE FROM test_instance WHERE id IN (
    SELECT s.test_instance_id FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id WHERE c.kind = 'changed')`);
  expect(await waiting()).toBe(1);
  await migrate(url);
  expect(await waiting()).toBe(0);
  await db.close();
});

describe("the product over what an older version left", () => {
  // the first schema; the one before contents could be based on others; the one before the last
  test.each([1, 5, migrationNames.length - 1])("after step %i: it is served, and goes on", async (step) => {
    const { url, storageUrl, db } = await olderProduct(`served_${step}`, step);
    await fillBase(db, storageUrl);
    await fillLater(db);
    await migrate(url);
    const product = await startProduct({ DATABASE_URL: url, STORAGE_URL: storageUrl });
    const { rest } = product;
    const [object] = await rest.call("listTestObjects");
    const id = object?.id ?? "";
    expect(object).toMatchObject({ name: "Manual", instances_total: pageCount, snapshots_total: 2 * pageCount });
    const { items } = await rest.call("listTestInstances", { params: { id } });
    expect(items.map((item) => item.url).sort()).toEqual(paths.map((path) => new URL(path, site.url).href).sort());
    const root = items.find((item) => item.url === site.url);
    const instance = await rest.call("getTestInstance", { params: { id: root?.id ?? "" } });
    const texts: unknown[] = [];
    for (const { id: snapshot } of instance.testsnapshots)
      texts.push((await rest.call("getTestSnapshot", { params: { id: snapshot } })) as unknown);
    expect(texts).toEqual([
      expect.objectContaining({ html: page("/", "second") }),
      expect.objectContaining({ html: page("/", "first") }),
    ]);
    const { snapshot1, snapshot2 } = await rest.call("getDiff", {
      query: { instance1: root?.id, snapshot1: "1", instance2: root?.id, snapshot2: "0" },
    });
    expect([snapshot1.html, snapshot2.html]).toEqual([page("/", "first"), page("/", "second")]);
    await until("the search over what was there", async () => {
      const found = await rest.call("search", { query: { q: "second", testobject_id: id } });
      return found.length === 1;
    });
    // and the product goes on working: the site has other texts by now
    await crawl(product, id);
    expect(await fetchAll(product, id)).toMatchObject({ total: pageCount, completed: pageCount, failed: 0 });
    await compared(product);
    const latest = await rest.call("getTestInstance", { params: { id: root?.id ?? "" } });
    expect(latest.testsnapshots).toHaveLength(3);
    expect((await invariantFaults(product)).filter((fault) => !fault.startsWith("I4 changed"))).toEqual([]);
    await product.stop();
    // the downgrade removes what newer versions added, and none of the rows that the older one knows
    await migrate(url, step);
    expect((await allRows(db))["test_snapshot"]).toHaveLength(3 * pageCount);
    expect(await migrate(url)).toEqual(migrationNames.slice(step));
    await db.close();
  });
});

test("who stands on a database that lacks a migration is not ready, or does not begin, and says what to do", async () => {
  const { url, storageUrl, db } = await olderProduct("behind", migrationNames.length);
  const product = await startProduct({ DATABASE_URL: url, STORAGE_URL: storageUrl });
  const crawler = product.stack.parts().find(({ name }) => name === "crawler")?.origin;
  const ready = (origin = "no address") =>
    fetch(`${origin}/readyz`).then(async (answer) => [answer.status, await answer.text()]);
  const lacking = expect.stringMatching(
    new RegExp(`lacks the migration ${migrationNames.at(-1)}. Apply the migrations`),
  );
  try {
    await migrate(url, migrationNames.length - 1);
    expect(await ready(product.address)).toEqual([503, lacking]);
    expect(await ready(crawler)).toEqual([503, lacking]);
    const program = programOf("services/crawler/dist/main.js");
    const env = { ...product.workerEnv(), HEALTH_PORT: undefined };
    const failure = expect.objectContaining({ code: 1, stdout: lacking });
    await expect(promisify(execFile)(process.execPath, [program], { env, timeout: 60_000 })).rejects.toEqual(failure);
    await migrate(url);
    expect(await ready(product.address)).toEqual([200, expect.stringContaining("ready")]);
    expect(await ready(crawler)).toEqual([200, expect.stringContaining("ready")]);
  } finally {
    await product.stop();
    await db.close();
  }
});
