import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds schedules, and by whom or what a run was started. */
export class Schedules1700000028000 implements MigrationInterface {
  readonly name = "Schedules1700000028000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE schedule (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        test_object_id uuid NOT NULL CONSTRAINT fk_schedule_object REFERENCES test_object (id) ON DELETE CASCADE,
        spec jsonb NOT NULL,
        due_at timestamptz,
        begins_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now())`);
    await runner.query(`CREATE INDEX schedule_of_object ON schedule (test_object_id, id)`);
    await runner.query(`CREATE INDEX schedule_begins ON schedule (begins_at) WHERE begins_at IS NOT NULL`);
    await runner.query(`
      CREATE TABLE due_time (
        schedule_id uuid NOT NULL CONSTRAINT fk_due_time_schedule REFERENCES schedule (id) ON DELETE CASCADE,
        due_at timestamptz NOT NULL,
        outcome text NOT NULL,
        run_id uuid,
        said text NOT NULL,
        PRIMARY KEY (schedule_id, due_at))`);
    await runner.query(`ALTER TABLE run ADD COLUMN started_by text NOT NULL DEFAULT 'person'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE run DROP COLUMN started_by`);
    await runner.query(`DROP TABLE due_time`);
    await runner.query(`DROP TABLE schedule`);
  }
}
