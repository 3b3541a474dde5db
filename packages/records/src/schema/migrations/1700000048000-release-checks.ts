import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds checks of releases, badges that show their results, and comparisons of only some parts of pages. */
export class ReleaseChecks1700000048000 implements MigrationInterface {
  readonly name = "ReleaseChecks1700000048000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE comparison ADD COLUMN parts jsonb`);
    await runner.query(`
      CREATE TABLE release_check (
        id uuid PRIMARY KEY DEFAULT uuidv7(), test_object_id uuid NOT NULL, run_id uuid, against text NOT NULL, fail_on jsonb NOT NULL,
        commit text, branch text, pipeline_url text, started_by text NOT NULL, error text, decision text, note text NOT NULL DEFAULT '',
        decided_by text, decided_at timestamptz, created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT release_check_decision CHECK (decision IN ('accepted', 'rejected')),
        CONSTRAINT fk_release_check_object FOREIGN KEY (test_object_id) REFERENCES test_object (id) ON DELETE CASCADE,
        CONSTRAINT fk_release_check_run FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE SET NULL
      )`);
    await runner.query(`CREATE INDEX release_check_of_object ON release_check (test_object_id, id)`);
    await runner.query(`CREATE INDEX release_check_of_run ON release_check (run_id)`);
    await runner.query(`
      CREATE TABLE status_badge (
        test_object_id uuid PRIMARY KEY, secret_hash bytea NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT fk_status_badge_object FOREIGN KEY (test_object_id) REFERENCES test_object (id) ON DELETE CASCADE
      )`);
    await runner.query(`CREATE UNIQUE INDEX status_badge_secret ON status_badge (secret_hash)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE status_badge, release_check`);
    await runner.query(`ALTER TABLE comparison DROP COLUMN parts`);
  }
}
