import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the automatic search for noise, which runs once per object, and the tags of objects. */
export class NoiseAndTags1700000031000 implements MigrationInterface {
  readonly name = "NoiseAndTags1700000031000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE test_object ADD COLUMN noise_mode text NOT NULL DEFAULT 'propose', ADD COLUMN noise_state text NOT NULL DEFAULT 'open',
        ADD COLUMN tags text[] NOT NULL DEFAULT '{}'`);
    // no automatic search for objects that were fetched before: their users know the noise already, or start a search themselves
    await runner.query(`
      UPDATE test_object o SET noise_state = 'tried'
      WHERE EXISTS (SELECT 1 FROM run WHERE test_object_id = o.id AND kind IN ('snapshot-all', 'noise'))`);
    await runner.query(`CREATE INDEX test_object_noise_due ON test_object (id) WHERE noise_state = 'due'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE test_object DROP COLUMN noise_mode, DROP COLUMN noise_state, DROP COLUMN tags`);
  }
}
