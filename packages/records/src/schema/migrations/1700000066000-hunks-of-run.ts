import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * The index by which a run's kinds of change are found names no snapshots: PostgreSQL then keeps each kind once with a list of its rows, in
 * a tenth of the room. Whoever reads all of a run reads the table, which is smaller than the index was.
 */
export class HunksOfRun1700000066000 implements MigrationInterface {
  readonly name = "HunksOfRun1700000066000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX change_hunk_of_run`);
    await runner.query(`CREATE INDEX change_hunk_of_run ON change_hunk (run_id, fingerprint)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX change_hunk_of_run`);
    await runner.query(`CREATE INDEX change_hunk_of_run ON change_hunk (run_id, fingerprint, snapshot_id)`);
  }
}
