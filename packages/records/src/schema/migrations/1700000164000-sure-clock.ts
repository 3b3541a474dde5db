import type { MigrationInterface, QueryRunner } from "typeorm";

/** Notes when the database's clock was last looked at, so that one that jumped ahead does not make everything too old. */
export class SureClock1700000164000 implements MigrationInterface {
  readonly name = "SureClock1700000164000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE installation ADD COLUMN clock_seen_at timestamptz, ADD COLUMN clock_jumped_at timestamptz`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE installation DROP COLUMN clock_seen_at, DROP COLUMN clock_jumped_at`);
  }
}
