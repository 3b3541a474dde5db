import type { MigrationInterface, QueryRunner } from "typeorm";

/** Lets noise be searched for again, in the history, after a fetch in which many pages changed. */
export class NoiseAgain1700000039000 implements MigrationInterface {
  readonly name = "NoiseAgain1700000039000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX test_object_noise_due`);
    await runner.query(`CREATE INDEX test_object_noise_due ON test_object (id) WHERE noise_state IN ('due', 'again')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE test_object SET noise_state = 'tried' WHERE noise_state = 'again'`);
    await runner.query(`DROP INDEX test_object_noise_due`);
    await runner.query(`CREATE INDEX test_object_noise_due ON test_object (id) WHERE noise_state = 'due'`);
  }
}
