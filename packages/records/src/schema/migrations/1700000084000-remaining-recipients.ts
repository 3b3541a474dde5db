import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the recipients who have not received a mail yet, so that a retry sends it only to them. */
export class RemainingRecipients1700000084000 implements MigrationInterface {
  readonly name = "RemainingRecipients1700000084000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE delivery ADD COLUMN remaining text[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE delivery DROP COLUMN remaining`);
  }
}
