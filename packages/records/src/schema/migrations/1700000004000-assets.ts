import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the files of snapshots, and the newest known state of every file of a site. */
export class Assets1700000004000 implements MigrationInterface {
  readonly name = "Assets1700000004000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE snapshot_asset (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        snapshot_id uuid NOT NULL CONSTRAINT fk_asset_snapshot REFERENCES test_snapshot (id) ON DELETE CASCADE,
        url text NOT NULL,
        base_url text,
        kind text NOT NULL,
        content_hash bytea CONSTRAINT fk_asset_content REFERENCES content (hash),
        content_type text NOT NULL DEFAULT '',
        extension text NOT NULL DEFAULT '',
        error text
      )`);
    await runner.query(`CREATE INDEX asset_of_snapshot ON snapshot_asset (snapshot_id)`);
    await runner.query(
      `CREATE INDEX asset_content ON snapshot_asset (content_hash, extension) WHERE content_hash IS NOT NULL`,
    );
    await runner.query(`
      CREATE TABLE site_asset (
        test_object_id uuid NOT NULL CONSTRAINT fk_site_asset_object REFERENCES test_object (id) ON DELETE CASCADE,
        url text NOT NULL,
        round uuid,
        claimed_by uuid,
        claimed_until timestamptz,
        base_url text,
        content_hash bytea CONSTRAINT fk_site_asset_content REFERENCES content (hash) ON DELETE SET NULL,
        content_type text NOT NULL DEFAULT '',
        extension text NOT NULL DEFAULT '',
        etag text,
        last_modified text,
        error text,
        PRIMARY KEY (test_object_id, url)
      )`);
    await runner.query(`CREATE INDEX site_asset_content ON site_asset (content_hash) WHERE content_hash IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ["site_asset", "snapshot_asset"]) await runner.query(`DROP TABLE ${table}`);
  }
}
