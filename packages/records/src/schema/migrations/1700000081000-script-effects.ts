import type { MigrationInterface, QueryRunner } from "typeorm";

/** Stores what trials in the browser showed about a site's scripts, so that all fetchers know it, also after a restart. */
export class ScriptEffects1700000081000 implements MigrationInterface {
  readonly name = "ScriptEffects1700000081000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE script_effect (
        test_object_id uuid NOT NULL CONSTRAINT fk_script_effect_object REFERENCES test_object (id) ON DELETE CASCADE,
        scripts bytea NOT NULL,
        what bytea NOT NULL,
        builds boolean NOT NULL,
        seen_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (test_object_id, scripts, what))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE script_effect`);
  }
}
