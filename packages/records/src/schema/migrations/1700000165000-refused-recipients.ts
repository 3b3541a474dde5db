import type { MigrationInterface, QueryRunner } from "typeorm";

/** Keeps which recipients of a mail were refused for good while others still have to get it. */
export class RefusedRecipients1700000165000 implements MigrationInterface {
  readonly name = "RefusedRecipients1700000165000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE delivery ADD COLUMN refused text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE delivery DROP COLUMN refused`);
  }
}
