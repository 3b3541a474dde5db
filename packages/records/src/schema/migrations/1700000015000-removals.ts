import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Records contents before their bytes are removed, so that no row marks bytes as stored while they are being removed. Also records when
 * each file of a site was last seen, so that files whose addresses do not occur any more can be removed.
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
    // bytes that still had to be removed have no row in `content`: the older version removes them as strays
    await runner.query(`DROP TABLE content_removal`);
  }
}
