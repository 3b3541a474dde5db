import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Moves searchable text to the object store; PostgreSQL keeps only the filters. In both directions the existing packs are deleted and
 * built again in the background, because a migration has no access to the object store.
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
    // locks in the same order as the services that pack meanwhile, to avoid a deadlock
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
