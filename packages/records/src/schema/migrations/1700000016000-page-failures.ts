import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Tells attempts that a page or its server failed from those that ended with the crawler, as snapshots have it: the latter are
 * what makes an address suspect. Attempts that an address of a running crawl has so far count as failures of its page, as they did.
 */
export class PageFailures1700000016000 implements MigrationInterface {
  readonly name = "PageFailures1700000016000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE crawl_page ADD COLUMN failures smallint NOT NULL DEFAULT 0`);
    await runner.query(`UPDATE crawl_page SET failures = attempts WHERE state = 'queued' AND attempts > 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE crawl_page DROP COLUMN failures`);
  }
}
