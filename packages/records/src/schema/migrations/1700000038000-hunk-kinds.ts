import type { MigrationInterface, QueryRunner } from "typeorm";

/** Lets changed files and headers be kinds of change too, and lets the text of a fingerprint be collected once no change has it. */
export class HunkKinds1700000038000 implements MigrationInterface {
  readonly name = "HunkKinds1700000038000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE hunk_text ADD COLUMN kind text NOT NULL DEFAULT 'content', ADD COLUMN named_at timestamptz NOT NULL DEFAULT now()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE hunk_text DROP COLUMN kind, DROP COLUMN named_at`);
  }
}
