import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the lifecycle of pages (new, gone, moved, no longer linked), and second looks at pages before anything is reported. */
export class Lifecycle1700000030000 implements MigrationInterface {
  readonly name = "Lifecycle1700000030000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE test_object ADD COLUMN confirm_after_s integer NOT NULL DEFAULT 0, ADD COLUMN gone_after_days integer NOT NULL DEFAULT 30`);
    await runner.query(`
      ALTER TABLE test_instance ADD COLUMN by_crawl boolean NOT NULL DEFAULT false, ADD COLUMN by_sitemaps boolean NOT NULL DEFAULT false,
        ADD COLUMN lifecycle text, ADD COLUMN lifecycle_at timestamptz, ADD COLUMN lifecycle_to text`);
    await runner.query(`
      ALTER TABLE run ADD COLUMN look text NOT NULL DEFAULT 'open', ADD COLUMN look_stage smallint NOT NULL DEFAULT 0,
        ADD COLUMN look_at timestamptz, ADD COLUMN look_of uuid`);
    await runner.query(`CREATE INDEX run_look_of ON run (look_of) WHERE look_of IS NOT NULL`);
    await runner.query(`CREATE INDEX run_look_wanted ON run (look_at) WHERE look = 'wanted'`);
    await runner.query(`
      CREATE TABLE page_lifecycle (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        test_object_id uuid NOT NULL CONSTRAINT fk_page_lifecycle_object REFERENCES test_object (id) ON DELETE CASCADE,
        test_instance_id uuid NOT NULL CONSTRAINT fk_page_lifecycle_instance REFERENCES test_instance (id) ON DELETE CASCADE,
        run_id uuid NOT NULL,
        kind text NOT NULL,
        url text NOT NULL,
        to_url text,
        said text NOT NULL DEFAULT '',
        last_number integer,
        undone_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now())`);
    await runner.query(`CREATE INDEX page_lifecycle_of_object ON page_lifecycle (test_object_id, id)`);
    await runner.query(`CREATE INDEX page_lifecycle_of_run ON page_lifecycle (run_id)`);
    await runner.query(`CREATE INDEX page_lifecycle_of_instance ON page_lifecycle (test_instance_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE page_lifecycle`);
    await runner.query(`DROP INDEX run_look_wanted`);
    await runner.query(`DROP INDEX run_look_of`);
    await runner.query(
      `ALTER TABLE run DROP COLUMN look, DROP COLUMN look_stage, DROP COLUMN look_at, DROP COLUMN look_of`,
    );
    await runner.query(`
      ALTER TABLE test_instance DROP COLUMN by_crawl, DROP COLUMN by_sitemaps, DROP COLUMN lifecycle, DROP COLUMN lifecycle_at, DROP COLUMN lifecycle_to`);
    await runner.query(`ALTER TABLE test_object DROP COLUMN confirm_after_s, DROP COLUMN gone_after_days`);
  }
}
