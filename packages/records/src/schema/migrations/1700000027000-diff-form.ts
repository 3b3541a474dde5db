import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the form in which pages of an object are compared unless a request names another. */
export class DiffForm1700000027000 implements MigrationInterface {
  readonly name = "DiffForm1700000027000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_object ADD COLUMN diff_form text NOT NULL DEFAULT 'auto'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_object DROP COLUMN diff_form`);
  }
}
