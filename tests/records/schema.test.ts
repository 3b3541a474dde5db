import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { instanceStatus } from "@web-tester/contracts/entities/vocabulary";
import { createDataSource, migrate, schemaDrift } from "@web-tester/records/schema/data-source";
import { migrateWhereNeeded } from "@web-tester/records/schema/migrate-where-needed";
import type { Database } from "@web-tester/platform/database/database";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** Migrations and entities describe the same database, and every migration can be reverted. */
let own: OwnDatabase;
let db: Database;

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
});
afterAll(() => own.stop());

async function tables(): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_name <> 'migration' ORDER BY 1",
  );
  return rows.map(({ name }) => name);
}

/** Reverts all migrations, the newest first. @returns how many there were */
async function takeAllBack(): Promise<number> {
  const source = await createDataSource(own.url).initialize();
  const { length } = source.migrations;
  for (let count = 0; count < length; count++) await source.undoLastMigration({ transaction: "each" });
  await source.destroy();
  return length;
}

/** Inserts a row into every table, so that migrations are reverted on tables that are not empty. */
async function fill(): Promise<void> {
  await db.query(`
    WITH o AS (INSERT INTO test_object (name, url) VALUES ('A site', 'https://example.org/') RETURNING id),
         r AS (INSERT INTO run (test_object_id, kind) SELECT id, 'crawl' FROM o RETURNING id),
         p AS (INSERT INTO crawl_page (run_id, url, depth) SELECT id, 'https://example.org/', 0 FROM r RETURNING id),
         c AS (INSERT INTO content (hash, size) VALUES (decode(repeat('5e', 32), 'hex'), 1) RETURNING hash),
         i AS (INSERT INTO test_instance (test_object_id, url, name) SELECT id, 'https://example.org/', 'A page' FROM o RETURNING id),
         s AS (INSERT INTO test_snapshot (test_instance_id, run_id, number, content_hash) SELECT i.id, r.id, 1, c.hash FROM i, r, c RETURNING id),
         k AS (INSERT INTO search_pack (test_object_id, format, documents, hashes, charsets, charset_of) SELECT id, 1, 0, '', '{}', '' FROM o RETURNING id),
         t AS (INSERT INTO search_section (pack_id, scope, chunks, text_bytes, frame_ends, frame_chunks, row_bytes, filter, content_hash)
               SELECT k.id, 'html', 0, 0, '{}', '{0}', 0, '', c.hash FROM k, c),
         e AS (INSERT INTO search_entry (test_object_id, content_hash, charset, instance_id, pack_id) SELECT o.id, c.hash, 'utf-8', i.id, k.id FROM o, c, i, k),
         l AS (INSERT INTO file_list (test_object_id, digest, files, missing) SELECT id, '', 1, 0 FROM o RETURNING id),
         a AS (INSERT INTO snapshot_asset (list_id, url, kind, content_hash) SELECT l.id, 'https://example.org/a.css', 'stylesheet', c.hash FROM l, c),
         x AS (INSERT INTO script_effect (test_object_id, scripts, what, builds) SELECT id, '', '', false FROM o),
         f AS (INSERT INTO site_asset (test_object_id, url, content_hash) SELECT o.id, 'https://example.org/a.css', c.hash FROM o, c)
    INSERT INTO change (snapshot_id) SELECT id FROM s`);
  await db.query(`
    WITH d AS (INSERT INTO changed_files (test_object_id, digest, files) SELECT id, '', '[]' FROM test_object),
         h AS (UPDATE change SET hunks = '{""}'),
         t AS (INSERT INTO hunk_text (test_object_id, fingerprint, place, removed, added) SELECT id, '', '', '', '' FROM test_object)
    INSERT INTO ignore_rule (test_object_id, spec, path, note, author) SELECT id, '{}', '*', '', '' FROM test_object`);
  await db.query(`
    WITH s AS (INSERT INTO schedule (test_object_id, spec) SELECT id, '{}' FROM test_object RETURNING id)
    INSERT INTO due_time (schedule_id, due_at, outcome, said) SELECT id, now(), 'started', '' FROM s`);
  await db.query(`
    WITH e AS (INSERT INTO watch_event (id, test_object_id, run_id, kind, pages_total, pages) SELECT 1, test_object_id, id, 'changed', 0, '[]' FROM run),
         c AS (INSERT INTO channel (kind, name, settings, sealed) VALUES ('email', '', '{}', '') RETURNING id),
         r AS (INSERT INTO route (channel_id, test_object_id, spec) SELECT c.id, o.id, '{}' FROM c, test_object o),
         f AS (INSERT INTO feed (test_object_id, secret_hash) SELECT id, '' FROM test_object),
         m AS (INSERT INTO comparison (run_id, one, other) SELECT id, '{}', '{}' FROM run),
         g AS (INSERT INTO compared_page (run_id, test_instance_id, kind) SELECT r.id, i.id, 'new' FROM run r, test_instance i RETURNING id, run_id),
         u AS (INSERT INTO compared_hunk (page_id, fingerprint, run_id) SELECT id, '', run_id FROM g),
         z AS (INSERT INTO release_check (test_object_id, run_id, against, fail_on, started_by) SELECT test_object_id, id, '', '[]', 'cli' FROM run),
         b AS (INSERT INTO status_badge (test_object_id, secret_hash) SELECT id, '' FROM test_object),
         n AS (INSERT INTO feed_entry (run_id, test_object_id, section) SELECT id, test_object_id, '{}' FROM run),
         y AS (INSERT INTO change_rhythm (test_object_id, section) SELECT id, '/' FROM test_object)
    INSERT INTO delivery (channel_id, state, sections, sentence) SELECT id, 'sent', '[]', '' FROM c`);
  await db.query("INSERT INTO content_removal (hash, lease_until) VALUES (decode(repeat('6f', 32), 'hex'), now())");
  await db.query(`
    WITH j AS (INSERT INTO import_job DEFAULT VALUES RETURNING id),
         h AS (INSERT INTO import_content (import_id, content_hash) SELECT j.id, c.hash FROM j, content c)
    INSERT INTO import_row (import_id, list, record, line, source_id, data) SELECT id, 0, 1, 1, 'x', '{}' FROM j`);
}

test("migrations make what the entities say", async () => {
  expect(await tables()).toEqual([
    "api_token",
    "audit_entry",
    "change",
    "change_hunk",
    "change_rhythm",
    "changed_files",
    "channel",
    "compared_hunk",
    "compared_page",
    "comparison",
    "content",
    "content_removal",
    "crawl_carrier",
    "crawl_link",
    "crawl_page",
    "crawl_skip",
    "delivery",
    "due_time",
    "feed",
    "feed_entry",
    "file_list",
    "host_gate",
    "hunk_sample",
    "hunk_text",
    "ignore_rule",
    "import_content",
    "import_job",
    "import_row",
    "installation",
    "object_total",
    "page_lifecycle",
    "release_check",
    "removal",
    "robots_file",
    "route",
    "run",
    "schedule",
    "script_effect",
    "search_entry",
    "search_pack",
    "search_section",
    "share_link",
    "sign_in",
    "site_asset",
    "site_session",
    "snapshot_asset",
    "status_badge",
    "stored_total",
    "test_instance",
    "test_object",
    "test_snapshot",
    "verdict",
    "visual_cache",
    "watch_event",
    "watch_event_part",
  ]);
  expect(await schemaDrift(own.url)).toEqual([]);
  // a backup contains rows and no sequences (docs/decisions/013-backup-by-copy.md): the only one, of the table of migrations, is made by migrating
  expect(await db.query("SELECT sequencename::text AS name FROM pg_sequences")).toEqual([{ name: "migration_id_seq" }]);
});

test.each([
  [
    "a column that no entity knows",
    "ALTER TABLE run ADD COLUMN mood text",
    "ALTER TABLE run DROP COLUMN mood",
    /DROP COLUMN "mood"/,
  ],
  [
    "a column of another type",
    "ALTER TABLE run ALTER COLUMN found TYPE bigint",
    "ALTER TABLE run ALTER COLUMN found TYPE integer",
    /"run".*"found"/,
  ],
  [
    "a column that may be empty",
    "ALTER TABLE test_object ALTER COLUMN url DROP NOT NULL",
    "ALTER TABLE test_object ALTER COLUMN url SET NOT NULL",
    /"test_object".*"url" SET NOT NULL/,
  ],
  [
    "a missing index",
    "DROP INDEX crawl_page_url",
    "CREATE UNIQUE INDEX crawl_page_url ON crawl_page (run_id, url)",
    /CREATE UNIQUE INDEX "crawl_page_url"/,
  ],
  [
    "a missing foreign key",
    "ALTER TABLE run DROP CONSTRAINT fk_run_test_object",
    "ALTER TABLE run ADD CONSTRAINT fk_run_test_object FOREIGN KEY (test_object_id) REFERENCES test_object (id) ON DELETE CASCADE",
    /fk_run_test_object/,
  ],
])("drift is seen: %s", async (_what, spoil, repair, statement) => {
  await db.query(spoil);
  expect((await schemaDrift(own.url)).join("\n")).toMatch(statement);
  await db.query(repair);
  expect(await schemaDrift(own.url)).toEqual([]);
});

test("down and up again, with rows in every table", async () => {
  await fill();
  expect(await db.query("SELECT state FROM change")).toHaveLength(1);
  expect(await takeAllBack()).toBeGreaterThan(0);
  expect(await tables()).toEqual([]);
  expect(await migrate(own.url)).not.toEqual([]);
  expect(await schemaDrift(own.url)).toEqual([]);
  await fill();
});

test("migrating twice at once applies each migration once, and again nothing", async () => {
  await takeAllBack();
  const [one, other] = await Promise.all([migrate(own.url), migrate(own.url)]);
  expect([...one, ...other]).toEqual([...new Set([...one, ...other])]);
  expect([...one, ...other]).not.toEqual([]);
  expect(await migrate(own.url)).toEqual([]);
  expect(await schemaDrift(own.url)).toEqual([]);
});

test("an older version does not begin on a database that a newer one has brought further, and says what to do", async () => {
  await migrate(own.url);
  await db.query("INSERT INTO migration (timestamp, name) VALUES (2700000000000, 'FromTheFuture2700000000000')");
  await expect(migrateWhereNeeded(own.url)).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringMatching(
      /newer version \(its schema has FromTheFuture2700000000000\).*take back.*one migration/,
    ),
  });
  await db.query("DELETE FROM migration WHERE name = 'FromTheFuture2700000000000'");
  expect(await migrateWhereNeeded(own.url)).toEqual([]);
});

test("a migration of the past that is none any more is no reason to refuse", async () => {
  await db.query("INSERT INTO migration (timestamp, name) VALUES (1600000000000, 'Replaced1600000000000')");
  expect(await migrateWhereNeeded(own.url)).toEqual([]);
  await db.query("DELETE FROM migration WHERE name = 'Replaced1600000000000'");
});

test("statuses are ordered as the contract has them, and a position that a service of an earlier version writes becomes its word", async () => {
  await migrate(own.url);
  const { options } = instanceStatus;
  const [order] = await db.query(
    "SELECT array_agg(word ORDER BY instance_status_order(word)) AS words FROM unnest($1::text[]) AS word",
    [options.toSorted()],
  );
  expect(order).toEqual({ words: options });
  const inserted = await db.query(
    `WITH o AS (INSERT INTO test_object (name, url) VALUES ('A site', 'https://words.example/') RETURNING id)
     INSERT INTO test_instance (test_object_id, url, name, status) SELECT id, 'https://words.example/' || n, 'A page', n FROM o, generate_series(0, 7) n
     RETURNING status`,
  );
  expect(inserted).toEqual(options.map((status) => ({ status })));
  const updated = await db.query(
    "UPDATE test_instance SET status = CASE WHEN status = 'failed' THEN 2 ELSE 5 END WHERE url LIKE 'https://words.example/%' RETURNING status",
  );
  expect(updated).toEqual(options.map((status) => ({ status: status === "failed" ? "changed" : "fetched" })));
});
