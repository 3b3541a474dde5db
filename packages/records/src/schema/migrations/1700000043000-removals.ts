import type { MigrationInterface, QueryRunner } from "typeorm";

/** Lets deletions be undone for a while: the pages are only marked, and are deleted when the time is over. */
export class Removals1700000043000 implements MigrationInterface {
  readonly name = "Removals1700000043000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE removal (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        test_object_id uuid NOT NULL CONSTRAINT fk_removal_object REFERENCES test_object (id) ON DELETE CASCADE,
        kind text NOT NULL,
        total integer NOT NULL,
        due_at timestamptz NOT NULL,
        begun boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now())`);
    await runner.query(`CREATE INDEX removal_due ON removal (due_at)`);
    await runner.query(`CREATE INDEX removal_of_object ON removal (test_object_id, id)`);
    // no foreign key, because the cascade that deletes an object may delete removals before their instances
    await runner.query(`ALTER TABLE test_instance ADD COLUMN removal_id uuid`);
    await runner.query(
      `CREATE INDEX instance_going ON test_instance (test_object_id, removal_id) WHERE removal_id IS NOT NULL`,
    );
    await runner.query(
      `CREATE INDEX instance_of_removal ON test_instance (removal_id, id) WHERE removal_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    // pages that were marked for deletion stay, as the previous version has no such mark
    await runner.query(`DROP INDEX instance_of_removal`);
    await runner.query(`DROP INDEX instance_going`);
    await runner.query(`ALTER TABLE test_instance DROP COLUMN removal_id`);
    await runner.query(`DROP TABLE removal`);
  }
}
