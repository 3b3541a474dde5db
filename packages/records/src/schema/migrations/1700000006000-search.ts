import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds search: packs of searchable text for each object, and which contents they hold; all existing contents are queued for packing. */
export class Search1700000006000 implements MigrationInterface {
  readonly name = "Search1700000006000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE search_pack (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        test_object_id uuid NOT NULL CONSTRAINT fk_search_pack_test_object REFERENCES test_object (id) ON DELETE CASCADE,
        format smallint NOT NULL,
        documents integer NOT NULL,
        hashes bytea NOT NULL,
        charsets text[] NOT NULL,
        charset_of bytea NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX search_pack_of_object ON search_pack (test_object_id)`);
    await runner.query(`
      CREATE TABLE search_section (
        pack_id uuid CONSTRAINT fk_search_section_pack REFERENCES search_pack (id) ON DELETE CASCADE,
        scope text NOT NULL,
        chunks integer NOT NULL,
        text_bytes integer NOT NULL,
        frame_ends integer[] NOT NULL,
        frame_chunks integer[] NOT NULL,
        row_bytes integer NOT NULL,
        body bytea NOT NULL,
        filter bytea NOT NULL,
        sequences bytea NOT NULL,
        PRIMARY KEY (pack_id, scope)
      )`);
    // stored uncompressed, so that PostgreSQL can read parts of a value at an offset without all of it
    for (const column of ["body", "filter", "sequences"])
      await runner.query(`ALTER TABLE search_section ALTER COLUMN ${column} SET STORAGE EXTERNAL`);
    await runner.query(`
      CREATE TABLE search_entry (
        test_object_id uuid NOT NULL CONSTRAINT fk_search_entry_test_object REFERENCES test_object (id) ON DELETE CASCADE,
        content_hash bytea NOT NULL,
        charset text NOT NULL,
        instance_id uuid NOT NULL,
        pack_id uuid CONSTRAINT fk_search_entry_pack REFERENCES search_pack (id) ON DELETE SET NULL,
        position integer,
        problem text,
        touched_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (test_object_id, content_hash, charset)
      )`);
    await runner.query(`CREATE INDEX search_entry_pack ON search_entry (pack_id)`);
    await runner.query(
      `CREATE INDEX search_entry_waiting ON search_entry (test_object_id, instance_id) WHERE pack_id IS NULL AND problem IS NULL`,
    );
    await runner.query(`CREATE INDEX search_entry_problem ON search_entry (test_object_id) WHERE problem IS NOT NULL`);
    await runner.query(`
      INSERT INTO search_entry (test_object_id, content_hash, charset, instance_id)
      SELECT i.test_object_id, s.content_hash, coalesce(s.charset, 'utf-8'), min(i.id::text)::uuid
      FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
      WHERE s.content_hash IS NOT NULL GROUP BY 1, 2, 3`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ["search_entry", "search_section", "search_pack"]) await runner.query(`DROP TABLE ${table}`);
  }
}
