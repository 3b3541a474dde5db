import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the name of the token or person that started a run or a check. */
export class StartedNames1700000062000 implements MigrationInterface {
  readonly name = "StartedNames1700000062000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run ADD COLUMN started_name text`);
    await runner.query(`ALTER TABLE release_check ADD COLUMN started_name text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE release_check DROP COLUMN started_name`);
    await runner.query(`ALTER TABLE run DROP COLUMN started_name`);
  }
}
