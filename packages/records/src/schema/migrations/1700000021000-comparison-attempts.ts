import type { MigrationInterface, QueryRunner } from "typeorm";

/** Counts the attempts at a comparison that may have crashed the differ, so that it can be given up. */
export class ComparisonAttempts1700000021000 implements MigrationInterface {
  readonly name = "ComparisonAttempts1700000021000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE change ADD COLUMN attempts smallint NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE change DROP COLUMN attempts`);
  }
}
