import type { MigrationInterface, QueryRunner } from "typeorm";

/** What a kind of change was in a run, where it was other words than when it was first seen: its fingerprint leaves numbers out. Runs that are over have none. */
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
