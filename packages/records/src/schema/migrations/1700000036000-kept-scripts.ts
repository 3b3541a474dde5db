import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds which scripts are stored with the files of a page. */
export class KeptScripts1700000036000 implements MigrationInterface {
  readonly name = "KeptScripts1700000036000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_object ADD COLUMN keep_scripts text NOT NULL DEFAULT 'own'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_object DROP COLUMN keep_scripts`);
  }
}
