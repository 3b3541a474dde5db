import type { MigrationInterface, QueryRunner } from "typeorm";

/** Keeps how many runs of the other kind met an outage before a run did, so that an outage is told by one of them. */
export class MetOutages1700000172000 implements MigrationInterface {
  readonly name = "MetOutages1700000172000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run ADD COLUMN met_before integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run DROP COLUMN met_before`);
  }
}
