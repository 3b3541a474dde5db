import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Adds the contents that an import holds from their arrival until its end, how often writing it was attempted, and its notes for the
 * user. Also adds the time until which an object's retention rules remove nothing, because they would remove the history just imported.
 */
export class HeldImports1700000017000 implements MigrationInterface {
  readonly name = "HeldImports1700000017000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE import_content (
        import_id uuid NOT NULL CONSTRAINT fk_import_content_job REFERENCES import_job (id) ON DELETE CASCADE,
        content_hash bytea NOT NULL CONSTRAINT fk_import_content_content REFERENCES content (hash),
        PRIMARY KEY (import_id, content_hash)
      )`);
    await runner.query(`CREATE INDEX import_content_hash ON import_content (content_hash)`);
    // the contents of imports that an older version began
    await runner.query(`
      INSERT INTO import_content (import_id, content_hash)
      SELECT DISTINCT u.import_id, c.hash FROM (
        SELECT import_id, content_hash AS hash FROM import_row WHERE content_hash IS NOT NULL
        UNION ALL
        SELECT r.import_id, decode(a.sha256, 'hex') FROM import_row r, jsonb_to_recordset(r.data -> 'assets') AS a (sha256 text)
        WHERE r.list = 2 AND jsonb_typeof(r.data -> 'assets') = 'array' AND a.sha256 IS NOT NULL
      ) u JOIN content c ON c.hash = u.hash`);
    await runner.query(`
      ALTER TABLE import_job
        ADD COLUMN attempts smallint NOT NULL DEFAULT 0,
        ADD COLUMN failures smallint NOT NULL DEFAULT 0,
        ADD COLUMN failure text,
        ADD COLUMN notes jsonb NOT NULL DEFAULT '[]'`);
    await runner.query(`ALTER TABLE test_object ADD COLUMN retention_waits_until timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_object DROP COLUMN retention_waits_until`);
    await runner.query(
      `ALTER TABLE import_job DROP COLUMN notes, DROP COLUMN failure, DROP COLUMN failures, DROP COLUMN attempts`,
    );
    await runner.query(`DROP TABLE import_content`);
  }
}
