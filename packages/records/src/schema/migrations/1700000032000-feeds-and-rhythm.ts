import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds feeds, and how often sections of sites change. */
export class FeedsAndRhythm1700000032000 implements MigrationInterface {
  readonly name = "FeedsAndRhythm1700000032000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE test_object ADD COLUMN change_budgets text[] NOT NULL DEFAULT '{}', ADD COLUMN silence_after text[] NOT NULL DEFAULT '{}'`);
    await runner.query(`ALTER TABLE watch_event ADD COLUMN said text NOT NULL DEFAULT ''`);
    await runner.query(`
      CREATE TABLE feed (
        id uuid NOT NULL DEFAULT uuidv7(), test_object_id uuid, secret_hash bytea NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_feed PRIMARY KEY (id),
        CONSTRAINT fk_feed_object FOREIGN KEY (test_object_id) REFERENCES test_object (id) ON DELETE CASCADE
      )`);
    await runner.query(`CREATE UNIQUE INDEX feed_of_object ON feed (test_object_id) NULLS NOT DISTINCT`);
    await runner.query(`CREATE UNIQUE INDEX feed_secret ON feed (secret_hash)`);
    await runner.query(`
      CREATE TABLE feed_entry (
        run_id uuid NOT NULL, test_object_id uuid NOT NULL, section jsonb NOT NULL, created_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_feed_entry PRIMARY KEY (run_id),
        CONSTRAINT fk_feed_entry_object FOREIGN KEY (test_object_id) REFERENCES test_object (id) ON DELETE CASCADE
      )`);
    await runner.query(`CREATE INDEX feed_entry_of_object ON feed_entry (test_object_id, created_at)`);
    await runner.query(`CREATE INDEX feed_entry_newest ON feed_entry (created_at)`);
    await runner.query(`
      CREATE TABLE change_rhythm (
        test_object_id uuid NOT NULL, section text NOT NULL, counts integer[] NOT NULL DEFAULT '{}', gaps integer[] NOT NULL DEFAULT '{}',
        changed_at timestamptz, silent boolean NOT NULL DEFAULT false, seen_at timestamptz NOT NULL DEFAULT now(),
        CONSTRAINT pk_change_rhythm PRIMARY KEY (test_object_id, section),
        CONSTRAINT fk_change_rhythm_object FOREIGN KEY (test_object_id) REFERENCES test_object (id) ON DELETE CASCADE
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE change_rhythm, feed_entry, feed`);
    await runner.query(`ALTER TABLE watch_event DROP COLUMN said`);
    await runner.query(`ALTER TABLE test_object DROP COLUMN change_budgets, DROP COLUMN silence_after`);
  }
}
