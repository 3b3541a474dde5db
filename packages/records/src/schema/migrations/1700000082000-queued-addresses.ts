import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Indexes queued work by its queue address (lane or kind, and partition): every worker asks every few seconds which addresses have queued
 * work, and had to read all queued rows for that.
 */
export class QueuedAddresses1700000082000 implements MigrationInterface {
  readonly name = "QueuedAddresses1700000082000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX snapshot_queued`);
    await runner.query(
      `CREATE INDEX snapshot_queued ON test_snapshot (lane, partition, queued_at) WHERE state = 'queued'`,
    );
    await runner.query(`DROP INDEX crawl_page_queued`);
    await runner.query(
      `CREATE INDEX crawl_page_queued ON crawl_page (kind, partition, queued_at) WHERE state = 'queued'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX crawl_page_queued`);
    await runner.query(`CREATE INDEX crawl_page_queued ON crawl_page (queued_at) WHERE state = 'queued'`);
    await runner.query(`DROP INDEX snapshot_queued`);
    await runner.query(`CREATE INDEX snapshot_queued ON test_snapshot (queued_at) WHERE state = 'queued'`);
  }
}
