import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Searchable text lies in the object store; PostgreSQL keeps the filters. Packs that are there are made anew in the background, either way,
 * for no migration reaches the object store.
 */
export class SearchSegments1700000050000 implements MigrationInterface {
  readonly name = "SearchSegments1700000050000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM search_pack`);
    await runner.query(`
      ALTER TABLE search_section DROP COLUMN body, DROP COLUMN sequences,
        ADD COLUMN content_hash bytea NOT NULL CONSTRAINT fk_search_section_content REFERENCES content (hash)`);
    await runner.query(`CREATE INDEX search_section_content ON search_section (content_hash)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    // in the order in which whoever packs meanwhile takes them
    await runner.query(`LOCK TABLE search_entry, content, search_pack, search_section IN ACCESS EXCLUSIVE MODE`);
    await runner.query(`DELETE FROM search_pack`);
    await runner.query(
      `ALTER TABLE search_section DROP COLUMN content_hash, ADD COLUMN body bytea NOT NULL, ADD COLUMN sequences bytea NOT NULL`,
    );
    await runner.query(
      `ALTER TABLE search_section ALTER COLUMN body SET STORAGE EXTERNAL, ALTER COLUMN sequences SET STORAGE EXTERNAL`,
    );
  }
}
