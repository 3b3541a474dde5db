import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the window, language and time zone that a snapshot was taken with, and which scripts were to be stored. */
export class TakenWith1700000037000 implements MigrationInterface {
  readonly name = "TakenWith1700000037000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_snapshot ADD COLUMN taken_with jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_snapshot DROP COLUMN taken_with`);
  }
}
