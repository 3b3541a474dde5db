import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds crawling: the scope, budgets and politeness of an object, robots.txt files, host gates, and the addresses that a crawl left out. */
export class Discovery1700000001000 implements MigrationInterface {
  readonly name = "Discovery1700000001000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE test_object
        ADD COLUMN ignore_robots boolean NOT NULL DEFAULT false,
        ADD COLUMN request_delay_ms integer NOT NULL DEFAULT 0,
        ADD COLUMN scope text NOT NULL DEFAULT 'path',
        ADD COLUMN scope_prefixes text[] NOT NULL DEFAULT '{}',
        ADD COLUMN drop_params text[] NOT NULL DEFAULT '{}',
        ADD COLUMN crawl_pages_max integer NOT NULL DEFAULT 100000,
        ADD COLUMN crawl_depth_max integer NOT NULL DEFAULT 20,
        ADD COLUMN crawl_minutes_max integer NOT NULL DEFAULT 720,
        ADD COLUMN crawl_mib_max integer NOT NULL DEFAULT 10240`);
    await runner.query(`ALTER TABLE run ADD COLUMN bytes bigint NOT NULL DEFAULT 0, ADD COLUMN ended_by text`);
    await runner.query(
      `ALTER TABLE crawl_page ADD COLUMN kind text NOT NULL DEFAULT 'page', ADD COLUMN target text, ADD COLUMN detail jsonb`,
    );
    await runner.query(`
      CREATE TABLE crawl_skip (
        run_id uuid NOT NULL CONSTRAINT fk_crawl_skip_run REFERENCES run (id) ON DELETE CASCADE,
        url text NOT NULL,
        reason text NOT NULL,
        found_on_id uuid,
        PRIMARY KEY (run_id, url)
      )`);
    await runner.query(`
      CREATE TABLE robots_file (
        origin text PRIMARY KEY,
        status integer,
        body bytea NOT NULL,
        problem text,
        delay_ms integer NOT NULL DEFAULT 0,
        expires_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE host_gate (
        host text PRIMARY KEY,
        next_at timestamptz NOT NULL,
        held_until timestamptz
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ["host_gate", "robots_file", "crawl_skip"]) await runner.query(`DROP TABLE ${table}`);
    await runner.query(`ALTER TABLE crawl_page DROP COLUMN kind, DROP COLUMN target, DROP COLUMN detail`);
    await runner.query(`ALTER TABLE run DROP COLUMN bytes, DROP COLUMN ended_by`);
    await runner.query(`
      ALTER TABLE test_object DROP COLUMN ignore_robots, DROP COLUMN request_delay_ms, DROP COLUMN scope, DROP COLUMN scope_prefixes, DROP COLUMN drop_params,
        DROP COLUMN crawl_pages_max, DROP COLUMN crawl_depth_max, DROP COLUMN crawl_minutes_max, DROP COLUMN crawl_mib_max`);
  }
}
