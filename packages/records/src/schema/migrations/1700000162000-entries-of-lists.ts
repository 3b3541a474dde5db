import type { MigrationInterface, QueryRunner } from "typeorm";

/** Finds entries of lists that moved on to the next page. Changes of earlier versions have none. */
export class EntriesOfLists1700000162000 implements MigrationInterface {
  readonly name = "EntriesOfLists1700000162000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE change ADD COLUMN entries bigint[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE change DROP COLUMN entries`);
  }
}
