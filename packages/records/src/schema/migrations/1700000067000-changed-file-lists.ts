import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Lets all pages that changed with the same files share one list of these. Lists that earlier versions wrote stay in their changes, because
 * the time to rewrite them would grow with the number of changes.
 */
export class ChangedFileLists1700000067000 implements MigrationInterface {
  readonly name = "ChangedFileLists1700000067000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE changed_files (
        test_object_id uuid NOT NULL CONSTRAINT fk_changed_files_object REFERENCES test_object (id) ON DELETE CASCADE,
        digest bytea NOT NULL,
        files jsonb NOT NULL,
        named_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (test_object_id, digest))`);
    await runner.query(`ALTER TABLE change ADD COLUMN files_digest bytea`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      UPDATE change c SET files = l.files FROM changed_files l WHERE l.test_object_id = c.test_object_id AND l.digest = c.files_digest`);
    await runner.query(`ALTER TABLE change DROP COLUMN files_digest`);
    await runner.query(`DROP TABLE changed_files`);
  }
}
