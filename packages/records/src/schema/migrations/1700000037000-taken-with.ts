import type { MigrationInterface, QueryRunner } from "typeorm";

/** A snapshot knows the window, the language and the time zone that it was taken with, and whether scripts were looked for. */
export class TakenWith1700000037000 implements MigrationInterface {
  readonly name = "TakenWith1700000037000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_snapshot ADD COLUMN taken_with jsonb`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_snapshot DROP COLUMN taken_with`);
  }
}
