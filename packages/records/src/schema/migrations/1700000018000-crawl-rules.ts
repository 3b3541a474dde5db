import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Fixes the rules of a crawl when it starts, so that all processes obey the same ones until its end. Also deletes the robots.txt files,
 * which are requested again: some were responses to requests with credentials, and all objects shared them.
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
