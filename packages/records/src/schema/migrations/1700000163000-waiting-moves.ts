import type { MigrationInterface, QueryRunner } from "typeorm";

/** Lets histories follow pages that were being fetched when their move was reported. */
export class WaitingMoves1700000163000 implements MigrationInterface {
  readonly name = "WaitingMoves1700000163000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE page_lifecycle ADD COLUMN waits boolean NOT NULL DEFAULT false`);
    await runner.query(`CREATE INDEX page_lifecycle_waiting ON page_lifecycle (test_object_id) WHERE waits`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE page_lifecycle DROP COLUMN waits`);
  }
}
