import type { MigrationInterface, QueryRunner } from "typeorm";

/** A verdict on a kind of difference knows what it was given for. Of those that are there nobody knows it: where there are numbers, they are asked for once more. */
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
