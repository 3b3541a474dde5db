import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Says of an instance which contents it had, and how often, without looking at its snapshots: what is the same takes a
 * few bytes (a million snapshots of 25,000 contents: 8 MB). Sums over the whole history are made from it.
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
