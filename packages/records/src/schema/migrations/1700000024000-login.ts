import type { MigrationInterface, QueryRunner } from "typeorm";

/** Adds the steps by which an object signs in at its site, and the session that it has there. */
export class Login1700000024000 implements MigrationInterface {
  readonly name = "Login1700000024000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE test_object
        ADD COLUMN login_steps jsonb NOT NULL DEFAULT '[]',
        ADD COLUMN login_sealed bytea`);
    await runner.query(`
      CREATE TABLE site_session (
        test_object_id uuid PRIMARY KEY CONSTRAINT fk_site_session_object REFERENCES test_object (id) ON DELETE CASCADE,
        round uuid,
        version integer NOT NULL DEFAULT 0,
        state_sealed bytea,
        problem text,
        claimed_until timestamptz)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE site_session`);
    await runner.query(`ALTER TABLE test_object DROP COLUMN login_steps, DROP COLUMN login_sealed`);
  }
}
