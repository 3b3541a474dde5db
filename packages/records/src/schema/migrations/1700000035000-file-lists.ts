import type { MigrationInterface, QueryRunner } from "typeorm";

/** Lets snapshots whose pages need the same files share one list of them, instead of having a row for every file of every snapshot. */
export class FileLists1700000035000 implements MigrationInterface {
  readonly name = "FileLists1700000035000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE file_list (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        test_object_id uuid NOT NULL CONSTRAINT fk_file_list_object REFERENCES test_object (id) ON DELETE CASCADE,
        digest bytea NOT NULL,
        files integer NOT NULL,
        missing integer NOT NULL,
        touched_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`
      CREATE TEMP TABLE held AS
      SELECT a.snapshot_id, i.test_object_id, count(*)::int AS files, (count(*) FILTER (WHERE a.content_hash IS NULL))::int AS missing,
        sha256(convert_to(string_agg(concat_ws(E'\\x1f', a.url, coalesce(a.base_url, ''), a.kind, coalesce(encode(a.content_hash, 'hex'), ''), a.content_type, a.extension,
          coalesce(a.error, '')), E'\\n' ORDER BY a.url COLLATE "C"), 'UTF8')) AS digest
      FROM snapshot_asset a JOIN test_snapshot s ON s.id = a.snapshot_id JOIN test_instance i ON i.id = s.test_instance_id GROUP BY 1, 2`);
    await runner.query(
      `INSERT INTO file_list (test_object_id, digest, files, missing) SELECT DISTINCT ON (test_object_id, digest) test_object_id, digest, files, missing FROM held ORDER BY test_object_id, digest`,
    );
    await runner.query(`CREATE UNIQUE INDEX file_list_once ON file_list (test_object_id, digest)`);
    await runner.query(`ALTER TABLE test_snapshot ADD COLUMN files_id uuid`);
    await runner.query(
      `UPDATE test_snapshot s SET files_id = l.id FROM held h JOIN file_list l USING (test_object_id, digest) WHERE s.id = h.snapshot_id`,
    );
    await runner.query(`
      CREATE TABLE kept_asset AS
      SELECT a.id, l.id AS list_id, a.url, a.base_url, a.kind, a.content_hash, a.content_type, a.extension, a.error
      FROM (SELECT DISTINCT ON (test_object_id, digest) * FROM held ORDER BY test_object_id, digest, snapshot_id) h
      JOIN file_list l USING (test_object_id, digest) JOIN snapshot_asset a ON a.snapshot_id = h.snapshot_id ORDER BY a.id`);
    await runner.query(`DROP TABLE held`);
    await runner.query(`DROP TABLE snapshot_asset`);
    await runner.query(`ALTER TABLE kept_asset RENAME TO snapshot_asset`);
    await runner.query(`
      ALTER TABLE snapshot_asset ADD PRIMARY KEY (id), ALTER COLUMN id SET DEFAULT uuidv7(), ALTER COLUMN list_id SET NOT NULL, ALTER COLUMN url SET NOT NULL,
        ALTER COLUMN kind SET NOT NULL, ALTER COLUMN content_type SET NOT NULL, ALTER COLUMN content_type SET DEFAULT '',
        ALTER COLUMN extension SET NOT NULL, ALTER COLUMN extension SET DEFAULT '',
        ADD CONSTRAINT fk_asset_list FOREIGN KEY (list_id) REFERENCES file_list (id) ON DELETE CASCADE,
        ADD CONSTRAINT fk_asset_content FOREIGN KEY (content_hash) REFERENCES content (hash)`);
    await runner.query(`CREATE INDEX asset_of_list ON snapshot_asset (list_id)`);
    await runner.query(
      `CREATE INDEX asset_content ON snapshot_asset (content_hash, extension) WHERE content_hash IS NOT NULL`,
    );
    // deferred to the end of the transaction, because the cascade that deletes an object may delete lists before their snapshots
    await runner.query(
      `ALTER TABLE test_snapshot ADD CONSTRAINT fk_snapshot_files FOREIGN KEY (files_id) REFERENCES file_list (id) DEFERRABLE INITIALLY DEFERRED`,
    );
    await runner.query(`CREATE INDEX snapshot_files ON test_snapshot (files_id) WHERE files_id IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // locks in the same order as the running services do: upgrading a lock later could end in a deadlock
    await runner.query(`LOCK TABLE file_list, test_snapshot, snapshot_asset IN ACCESS EXCLUSIVE MODE`);
    await runner.query(`
      CREATE TABLE unshared AS
      SELECT uuidv7() AS id, s.id AS snapshot_id, a.url, a.base_url, a.kind, a.content_hash, a.content_type, a.extension, a.error
      FROM (SELECT id, files_id FROM test_snapshot WHERE files_id IS NOT NULL ORDER BY id) s JOIN snapshot_asset a ON a.list_id = s.files_id ORDER BY s.id, a.id`);
    await runner.query(`DROP TABLE snapshot_asset`);
    await runner.query(`ALTER TABLE test_snapshot DROP COLUMN files_id`);
    await runner.query(`DROP TABLE file_list`);
    await runner.query(`ALTER TABLE unshared RENAME TO snapshot_asset`);
    await runner.query(`
      ALTER TABLE snapshot_asset ADD PRIMARY KEY (id), ALTER COLUMN id SET DEFAULT uuidv7(), ALTER COLUMN snapshot_id SET NOT NULL, ALTER COLUMN url SET NOT NULL,
        ALTER COLUMN kind SET NOT NULL, ALTER COLUMN content_type SET NOT NULL, ALTER COLUMN content_type SET DEFAULT '',
        ALTER COLUMN extension SET NOT NULL, ALTER COLUMN extension SET DEFAULT '',
        ADD CONSTRAINT fk_asset_snapshot FOREIGN KEY (snapshot_id) REFERENCES test_snapshot (id) ON DELETE CASCADE,
        ADD CONSTRAINT fk_asset_content FOREIGN KEY (content_hash) REFERENCES content (hash)`);
    await runner.query(`CREATE INDEX asset_of_snapshot ON snapshot_asset (snapshot_id)`);
    await runner.query(
      `CREATE INDEX asset_content ON snapshot_asset (content_hash, extension) WHERE content_hash IS NOT NULL`,
    );
  }
}
