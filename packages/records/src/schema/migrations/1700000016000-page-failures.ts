import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Counts the attempts that a page or its server failed apart from those that ended with a crash of the crawler, as for snapshots: only
 * crashes make an address suspect. The attempts so far at addresses of running crawls count as failures of the page, as before.
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
