import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds when a page counts as ready in the browser: when it is quiet, when an element is there, or after a time. */
export class ReadyRules1700000020000 implements MigrationInterface {
  readonly name = "ReadyRules1700000020000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE test_object
        ADD COLUMN ready_when text NOT NULL DEFAULT 'quiet',
        ADD COLUMN ready_selector text NOT NULL DEFAULT '',
        ADD COLUMN ready_ms integer NOT NULL DEFAULT 2000`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE test_object DROP COLUMN ready_when, DROP COLUMN ready_selector, DROP COLUMN ready_ms`,
    );
  }
}
