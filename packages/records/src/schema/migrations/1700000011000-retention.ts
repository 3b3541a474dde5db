import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the retention rules of a test object, and counts of the snapshots that each rule removed. */
export class Retention1700000011000 implements MigrationInterface {
  readonly name = "Retention1700000011000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE test_object
        ADD COLUMN keep_days integer,
        ADD COLUMN keep_snapshots integer,
        ADD COLUMN keep_changed_only boolean NOT NULL DEFAULT false,
        ADD COLUMN retention_checked_at timestamptz,
        ADD COLUMN removed_by_age integer NOT NULL DEFAULT 0,
        ADD COLUMN removed_by_count integer NOT NULL DEFAULT 0,
        ADD COLUMN removed_unchanged integer NOT NULL DEFAULT 0,
        ADD COLUMN removed_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE test_object
        DROP COLUMN keep_days, DROP COLUMN keep_snapshots, DROP COLUMN keep_changed_only, DROP COLUMN retention_checked_at,
        DROP COLUMN removed_by_age, DROP COLUMN removed_by_count, DROP COLUMN removed_unchanged, DROP COLUMN removed_at`);
  }
}
