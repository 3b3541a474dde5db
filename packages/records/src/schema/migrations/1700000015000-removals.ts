import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Bytes that are to be removed are noted before they go, so that no row ever says of bytes that they are there while they are being
 * removed. And files of a site say when they were last met, so that addresses that never come again can go.
 */
export class Removals1700000015000 implements MigrationInterface {
  readonly name = "Removals1700000015000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE content_removal (
        hash bytea PRIMARY KEY,
        lease_until timestamptz NOT NULL,
        error text
      )`);
    await runner.query(`ALTER TABLE site_asset ADD COLUMN seen_at timestamptz NOT NULL DEFAULT now()`);
    await runner.query(`CREATE INDEX site_asset_seen ON site_asset (test_object_id, seen_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX site_asset_seen`);
    await runner.query(`ALTER TABLE site_asset DROP COLUMN seen_at`);
    // bytes that were still to be removed have no row: the older version finds them as strays
    await runner.query(`DROP TABLE content_removal`);
  }
}
