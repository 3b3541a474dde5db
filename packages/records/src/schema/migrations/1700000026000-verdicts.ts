import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the verdicts that people give on the changes of a run. */
export class Verdicts1700000026000 implements MigrationInterface {
  readonly name = "Verdicts1700000026000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE verdict (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        run_id uuid NOT NULL CONSTRAINT fk_verdict_run REFERENCES run (id) ON DELETE CASCADE,
        fingerprint bytea,
        test_instance_id uuid CONSTRAINT fk_verdict_instance REFERENCES test_instance (id) ON DELETE CASCADE,
        verdict text NOT NULL,
        note text NOT NULL,
        author text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT verdict_of_one CHECK ((fingerprint IS NULL) <> (test_instance_id IS NULL)))`);
    await runner.query(
      `CREATE UNIQUE INDEX verdict_of_group ON verdict (run_id, fingerprint) WHERE fingerprint IS NOT NULL`,
    );
    await runner.query(
      `CREATE UNIQUE INDEX verdict_of_page ON verdict (test_instance_id, run_id) WHERE test_instance_id IS NOT NULL`,
    );
    await runner.query(`ALTER TABLE run ADD COLUMN settled integer NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run DROP COLUMN settled`);
    await runner.query(`DROP TABLE verdict`);
  }
}
