import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the identity with which an object's pages are requested: user agent, language, time zone, window and headers; and what is dismissed or blocked. */
export class Visitor1700000023000 implements MigrationInterface {
  readonly name = "Visitor1700000023000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE test_object
        ADD COLUMN user_agent text NOT NULL DEFAULT '',
        ADD COLUMN language text NOT NULL DEFAULT '',
        ADD COLUMN time_zone text NOT NULL DEFAULT '',
        ADD COLUMN viewport text NOT NULL DEFAULT '',
        ADD COLUMN dismiss_selectors text[] NOT NULL DEFAULT '{}',
        ADD COLUMN block_list text[] NOT NULL DEFAULT '{}',
        ADD COLUMN request_headers_sealed bytea,
        ADD COLUMN request_header_names text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE test_object
        DROP COLUMN user_agent, DROP COLUMN language, DROP COLUMN time_zone, DROP COLUMN viewport, DROP COLUMN dismiss_selectors,
        DROP COLUMN block_list, DROP COLUMN request_headers_sealed, DROP COLUMN request_header_names`);
  }
}
