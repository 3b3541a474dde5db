import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds labels of fetches, such as "release 1.4". */
export class RunLabels1700000034000 implements MigrationInterface {
  readonly name = "RunLabels1700000034000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run ADD COLUMN label text`);
    await runner.query(`CREATE INDEX run_labelled ON run (test_object_id, label, id) WHERE label IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run DROP COLUMN label`);
  }
}
