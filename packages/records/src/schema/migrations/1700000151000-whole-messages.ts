import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Notes the rhythm of a message, and that a person wants it sent again: then it is sent even if other messages of its rhythm told the same.
 */
export class WholeMessages1700000151000 implements MigrationInterface {
  readonly name = "WholeMessages1700000151000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE delivery ADD COLUMN whole boolean NOT NULL DEFAULT false, ADD COLUMN cadence text NOT NULL DEFAULT ''`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    // earlier versions do not know the state
    await runner.query(`UPDATE delivery SET state = 'sent' WHERE state = 'told'`);
    await runner.query(`ALTER TABLE delivery DROP COLUMN whole, DROP COLUMN cadence`);
  }
}
