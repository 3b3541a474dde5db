import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds crawl reports: which pages carry broken links, and reports that are kept after their lists are removed. */
export class CrawlReports1700000002000 implements MigrationInterface {
  readonly name = "CrawlReports1700000002000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE run
        ADD COLUMN links_settled boolean NOT NULL DEFAULT false,
        ADD COLUMN lists text NOT NULL DEFAULT 'kept',
        ADD COLUMN report jsonb`);
    await runner.query(`UPDATE run SET links_settled = true WHERE state <> 'running' OR kind <> 'crawl'`);
    await runner.query(`CREATE INDEX run_links_unsettled ON run (id) WHERE kind = 'crawl' AND NOT links_settled`);
    await runner.query(
      `CREATE INDEX run_lists_kept ON run (test_object_id, kind, id) WHERE kind IN ('crawl', 'sitemaps') AND lists <> 'removed'`,
    );
    await runner.query(`
      CREATE TABLE crawl_link (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        run_id uuid NOT NULL CONSTRAINT fk_crawl_link_run REFERENCES run (id) ON DELETE CASCADE,
        page_ids uuid[] NOT NULL,
        links bytea NOT NULL
      )`);
    // hashes cannot be compressed, so PostgreSQL shall not spend time trying
    await runner.query(`ALTER TABLE crawl_link ALTER COLUMN links SET STORAGE EXTERNAL`);
    await runner.query(`CREATE INDEX crawl_link_of_run ON crawl_link (run_id, id)`);
    await runner.query(`
      CREATE TABLE crawl_carrier (
        run_id uuid NOT NULL CONSTRAINT fk_crawl_carrier_run REFERENCES run (id) ON DELETE CASCADE,
        target_id uuid NOT NULL,
        piece uuid NOT NULL,
        pages integer NOT NULL,
        page_ids uuid[] NOT NULL,
        PRIMARY KEY (run_id, target_id, piece)
      )`);
    await runner.query(`CREATE INDEX crawl_page_canonical ON crawl_page (run_id, target) WHERE outcome = 'canonical'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX crawl_page_canonical`);
    await runner.query(`DROP TABLE crawl_carrier`);
    await runner.query(`DROP TABLE crawl_link`);
    await runner.query(`DROP INDEX run_lists_kept`);
    await runner.query(`DROP INDEX run_links_unsettled`);
    await runner.query(`ALTER TABLE run DROP COLUMN links_settled, DROP COLUMN lists, DROP COLUMN report`);
  }
}
