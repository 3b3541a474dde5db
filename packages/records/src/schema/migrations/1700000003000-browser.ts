import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds loading pages in a browser: how each snapshot was loaded, and what mode `auto` learned about each page. */
export class Browser1700000003000 implements MigrationInterface {
  readonly name = "Browser1700000003000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_snapshot ADD COLUMN fetch_mode_used text`);
    await runner.query(
      `ALTER TABLE test_instance ADD COLUMN auto_mode text, ADD COLUMN auto_mode_loads integer NOT NULL DEFAULT 0`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_instance DROP COLUMN auto_mode, DROP COLUMN auto_mode_loads`);
    await runner.query(`ALTER TABLE test_snapshot DROP COLUMN fetch_mode_used`);
  }
}
