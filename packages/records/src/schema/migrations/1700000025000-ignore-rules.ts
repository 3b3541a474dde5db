import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds ignore rules, how much of each change they leave, and the fingerprints by which equal changes of many pages are grouped. */
export class IgnoreRules1700000025000 implements MigrationInterface {
  readonly name = "IgnoreRules1700000025000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE ignore_rule (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        test_object_id uuid CONSTRAINT fk_ignore_rule_object REFERENCES test_object (id) ON DELETE CASCADE,
        spec jsonb NOT NULL,
        path text NOT NULL,
        note text NOT NULL,
        enabled boolean NOT NULL DEFAULT true,
        state text NOT NULL DEFAULT 'active',
        author text NOT NULL,
        evidence jsonb,
        created_at timestamptz NOT NULL DEFAULT now(),
        updated_at timestamptz NOT NULL DEFAULT now())`);
    await runner.query(`CREATE INDEX ignore_rule_of_object ON ignore_rule (test_object_id, id)`);
    await runner.query(`
      ALTER TABLE change
        ADD COLUMN significant boolean NOT NULL DEFAULT true,
        ADD COLUMN changes integer NOT NULL DEFAULT 0,
        ADD COLUMN ignored integer NOT NULL DEFAULT 0`);
    await runner.query(`
      CREATE TABLE change_hunk (
        snapshot_id uuid NOT NULL CONSTRAINT fk_change_hunk_change REFERENCES change (snapshot_id) ON DELETE CASCADE,
        fingerprint bytea NOT NULL,
        run_id uuid,
        PRIMARY KEY (snapshot_id, fingerprint))`);
    await runner.query(`CREATE INDEX change_hunk_of_run ON change_hunk (run_id, fingerprint, snapshot_id)`);
    await runner.query(`
      CREATE TABLE hunk_text (
        test_object_id uuid NOT NULL CONSTRAINT fk_hunk_text_object REFERENCES test_object (id) ON DELETE CASCADE,
        fingerprint bytea NOT NULL,
        place bytea NOT NULL,
        removed text NOT NULL,
        added text NOT NULL,
        PRIMARY KEY (test_object_id, fingerprint))`);
    await runner.query(`ALTER TABLE run ADD COLUMN cursor uuid`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run DROP COLUMN cursor`);
    await runner.query(`DROP TABLE hunk_text`);
    await runner.query(`DROP TABLE change_hunk`);
    await runner.query(`ALTER TABLE change DROP COLUMN significant, DROP COLUMN changes, DROP COLUMN ignored`);
    await runner.query(`DROP TABLE ignore_rule`);
  }
}
