import type { MigrationInterface, QueryRunner } from "typeorm";

/** Makes changes of a page's files, and of facts such as its status and headers, count as changes of the page. */
export class ChangedFiles1700000022000 implements MigrationInterface {
  readonly name = "ChangedFiles1700000022000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_snapshot ADD COLUMN files_hash bytea`);
    await runner.query(`
      ALTER TABLE change
        ADD COLUMN files_changed integer NOT NULL DEFAULT 0,
        ADD COLUMN files jsonb,
        ADD COLUMN facts jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE change DROP COLUMN files_changed, DROP COLUMN files, DROP COLUMN facts`);
    await runner.query(`ALTER TABLE test_snapshot DROP COLUMN files_hash`);
  }
}
