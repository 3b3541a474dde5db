import type { MigrationInterface, QueryRunner } from "typeorm";

/** Keeps how many pages a run did not get to because it was stopped. */
export class StoppedPages1700000166000 implements MigrationInterface {
  readonly name = "StoppedPages1700000166000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run ADD COLUMN stopped integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run DROP COLUMN stopped`);
  }
}
