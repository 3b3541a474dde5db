import type { MigrationInterface, QueryRunner } from "typeorm";

/** Keeps since when, how often and why a run that has ended could not be told. */
export class TellingFailures1700000159000 implements MigrationInterface {
  readonly name = "TellingFailures1700000159000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE run ADD COLUMN untold_since timestamptz, ADD COLUMN untold_tries integer NOT NULL DEFAULT 0,
        ADD COLUMN untold_why text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run DROP COLUMN untold_since, DROP COLUMN untold_tries, DROP COLUMN untold_why`);
  }
}
