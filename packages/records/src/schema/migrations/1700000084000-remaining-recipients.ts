import type { MigrationInterface, QueryRunner } from "typeorm";

/** A mail that some of its recipients got is tried again for the others alone. */
export class RemainingRecipients1700000084000 implements MigrationInterface {
  readonly name = "RemainingRecipients1700000084000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE delivery ADD COLUMN remaining text[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE delivery DROP COLUMN remaining`);
  }
}
