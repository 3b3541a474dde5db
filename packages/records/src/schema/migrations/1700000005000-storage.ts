import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the base of a delta-compressed content, a site's compression dictionary, and what a repeated fetch has to know of earlier ones. */
export class Storage1700000005000 implements MigrationInterface {
  readonly name = "Storage1700000005000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE content
        ADD COLUMN base_hash bytea CONSTRAINT fk_content_base REFERENCES content (hash),
        ADD COLUMN depth smallint NOT NULL DEFAULT 0`);
    await runner.query(`CREATE INDEX content_base ON content (base_hash) WHERE base_hash IS NOT NULL`);
    await runner.query(`
      ALTER TABLE test_object
        ADD COLUMN dictionary_hash bytea CONSTRAINT fk_test_object_dictionary REFERENCES content (hash)`);
    await runner.query(
      `CREATE INDEX test_object_dictionary ON test_object (dictionary_hash) WHERE dictionary_hash IS NOT NULL`,
    );
    await runner.query(`
      ALTER TABLE test_snapshot
        ADD COLUMN failures smallint NOT NULL DEFAULT 0,
        ADD COLUMN asked_as text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_snapshot DROP COLUMN failures, DROP COLUMN asked_as`);
    await runner.query(`ALTER TABLE test_object DROP COLUMN dictionary_hash`);
    await runner.query(`ALTER TABLE content DROP COLUMN base_hash, DROP COLUMN depth`);
  }
}
