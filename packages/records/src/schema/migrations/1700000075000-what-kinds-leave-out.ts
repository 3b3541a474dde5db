import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds which left-out numbers a verdict on a kind of difference was given for. Existing verdicts have none: kinds with numbers wait for review again. */
export class WhatKindsLeaveOut1700000075000 implements MigrationInterface {
  readonly name = "WhatKindsLeaveOut1700000075000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE compared_hunk ADD COLUMN left_out bytea`);
    await runner.query(`ALTER TABLE verdict ADD COLUMN left_out bytea[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE verdict DROP COLUMN left_out`);
    await runner.query(`ALTER TABLE compared_hunk DROP COLUMN left_out`);
  }
}
