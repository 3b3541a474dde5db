import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the text of a kind of change in a run if it differs from when it was first seen, as fingerprints ignore numbers. Runs before this have none. */
export class HunkSamples1700000074000 implements MigrationInterface {
  readonly name = "HunkSamples1700000074000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE hunk_sample (
        run_id uuid NOT NULL CONSTRAINT fk_hunk_sample_run REFERENCES run (id) ON DELETE CASCADE,
        fingerprint bytea NOT NULL,
        sample_id uuid NOT NULL,
        removed text NOT NULL,
        added text NOT NULL,
        PRIMARY KEY (run_id, fingerprint))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE hunk_sample`);
  }
}
