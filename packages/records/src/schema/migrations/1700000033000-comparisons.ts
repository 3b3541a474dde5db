import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds comparisons of a whole site at two times. */
export class Comparisons1700000033000 implements MigrationInterface {
  readonly name = "Comparisons1700000033000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX run_running`);
    await runner.query(`
      CREATE UNIQUE INDEX run_running ON run (test_object_id, kind) WHERE state = 'running' AND kind NOT IN ('snapshot-one', 'compare')`);
    await runner.query(`
      CREATE TABLE comparison (
        run_id uuid PRIMARY KEY, one jsonb NOT NULL, other jsonb NOT NULL, same integer NOT NULL DEFAULT 0,
        CONSTRAINT fk_comparison_run FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE
      )`);
    await runner.query(`
      CREATE TABLE compared_page (
        id uuid PRIMARY KEY DEFAULT uuidv7(), run_id uuid NOT NULL, test_instance_id uuid NOT NULL, kind text NOT NULL, state text NOT NULL DEFAULT 'done',
        one_id uuid, other_id uuid, lines_added integer NOT NULL DEFAULT 0, lines_removed integer NOT NULL DEFAULT 0,
        files_changed integer NOT NULL DEFAULT 0, files jsonb, facts jsonb, changes integer NOT NULL DEFAULT 0, ignored integer NOT NULL DEFAULT 0,
        attempts smallint NOT NULL DEFAULT 0,
        CONSTRAINT fk_compared_page_run FOREIGN KEY (run_id) REFERENCES run (id) ON DELETE CASCADE,
        CONSTRAINT fk_compared_page_instance FOREIGN KEY (test_instance_id) REFERENCES test_instance (id) ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX compared_page_of_run ON compared_page (run_id, id)`);
    await runner.query(`CREATE INDEX compared_page_of_instance ON compared_page (test_instance_id)`);
    await runner.query(`CREATE INDEX compared_page_queued ON compared_page (run_id, id) WHERE state = 'queued'`);
    await runner.query(`
      CREATE TABLE compared_hunk (
        page_id uuid NOT NULL, fingerprint bytea NOT NULL, run_id uuid NOT NULL,
        CONSTRAINT pk_compared_hunk PRIMARY KEY (page_id, fingerprint),
        CONSTRAINT fk_compared_hunk_page FOREIGN KEY (page_id) REFERENCES compared_page (id) ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX compared_hunk_of_run ON compared_hunk (run_id, fingerprint)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM run WHERE kind = 'compare'`);
    await runner.query(`DROP TABLE compared_hunk, compared_page, comparison`);
    await runner.query(`DROP INDEX run_running`);
    await runner.query(`
      CREATE UNIQUE INDEX run_running ON run (test_object_id, kind) WHERE state = 'running' AND kind <> 'snapshot-one'`);
  }
}
