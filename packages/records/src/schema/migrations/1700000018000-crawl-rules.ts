import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Gives a crawl its rules once, when it is started, so that every process obeys the same ones to its end. And forgets the
 * robots files, among which were answers to requests with credentials that all objects shared; they are asked for again.
 */
export class CrawlRules1700000018000 implements MigrationInterface {
  readonly name = "CrawlRules1700000018000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run ADD COLUMN rules jsonb`);
    await runner.query(`
      UPDATE run SET rules = jsonb_build_object(
        'exclude_list', o.exclude_list, 'scope', o.scope, 'scope_prefixes', o.scope_prefixes, 'drop_params', o.drop_params,
        'ignore_robots', o.ignore_robots, 'fetch_mode', o.fetch_mode, 'crawl_pages_max', o.crawl_pages_max,
        'crawl_depth_max', o.crawl_depth_max, 'crawl_minutes_max', o.crawl_minutes_max, 'crawl_mib_max', o.crawl_mib_max)
      FROM test_object o
      WHERE o.id = run.test_object_id AND run.state = 'running' AND run.kind IN ('crawl', 'sitemaps')`);
    await runner.query(`DELETE FROM robots_file`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM robots_file`);
    await runner.query(`ALTER TABLE run DROP COLUMN rules`);
  }
}
