import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds a cache of the results of visual diffs. */
export class Visual1700000010000 implements MigrationInterface {
  readonly name = "Visual1700000010000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE visual_cache (key bytea PRIMARY KEY, value jsonb NOT NULL, made_at timestamptz NOT NULL DEFAULT now())`,
    );
    await runner.query(`CREATE INDEX visual_cache_age ON visual_cache (made_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE visual_cache`);
  }
}
