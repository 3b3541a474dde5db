import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds imports: the job, and the records of its file until they are written to the other tables. */
export class Transfer1700000007000 implements MigrationInterface {
  readonly name = "Transfer1700000007000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE import_job (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        name text,
        state text NOT NULL DEFAULT 'reading',
        bytes bigint NOT NULL DEFAULT 0,
        bytes_total bigint,
        total integer NOT NULL DEFAULT 0,
        completed integer NOT NULL DEFAULT 0,
        imported jsonb NOT NULL DEFAULT '{"objects": 0, "instances": 0, "snapshots": 0}',
        existing jsonb NOT NULL DEFAULT '{"objects": 0, "instances": 0, "snapshots": 0}',
        faults jsonb NOT NULL DEFAULT '[]',
        faults_total integer NOT NULL DEFAULT 0,
        error text,
        generation integer NOT NULL DEFAULT 0,
        queued_at timestamptz NOT NULL DEFAULT now(),
        created_at timestamptz NOT NULL DEFAULT now(),
        finished_at timestamptz
      )`);
    await runner.query(
      `CREATE INDEX import_job_open ON import_job (queued_at) WHERE state = 'reading' OR state = 'applying'`,
    );
    await runner.query(`
      CREATE TABLE import_row (
        import_id uuid NOT NULL CONSTRAINT fk_import_row_job REFERENCES import_job (id) ON DELETE CASCADE,
        list smallint NOT NULL,
        record integer NOT NULL,
        line integer NOT NULL,
        source_id text NOT NULL,
        parent_id text,
        url text,
        target_id uuid,
        content_hash bytea CONSTRAINT fk_import_row_content REFERENCES content (hash),
        data jsonb NOT NULL,
        PRIMARY KEY (import_id, list, record)
      )`);
    await runner.query(`CREATE INDEX import_row_source ON import_row (import_id, list, source_id)`);
    await runner.query(`CREATE INDEX import_row_parent ON import_row (import_id, list, parent_id)`);
    await runner.query(`CREATE INDEX import_row_content ON import_row (content_hash) WHERE content_hash IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE import_row`);
    await runner.query(`DROP TABLE import_job`);
  }
}
