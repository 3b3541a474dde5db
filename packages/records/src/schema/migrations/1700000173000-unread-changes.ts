import type { MigrationInterface, QueryRunner } from "typeorm";

/** Finds comparisons that were given up because a content could not be read, to make them once it is there again. */
export class UnreadChanges1700000173000 implements MigrationInterface {
  readonly name = "UnreadChanges1700000173000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE INDEX change_unread ON change (snapshot_id)
      WHERE state = 'done' AND coarse AND kind = 'changed' AND changes = 0 AND ignored = 0 AND lines_added = 0 AND lines_removed = 0 AND attempts = 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("DROP INDEX change_unread");
  }
}
