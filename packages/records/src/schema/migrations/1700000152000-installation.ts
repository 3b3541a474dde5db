import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Gives the installation an identity, by which it recognizes its bucket. A comment keeps it while an earlier version is in use: another
 * identity would make the bucket another installation's.
 */
export class Installation1700000152000 implements MigrationInterface {
  readonly name = "Installation1700000152000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE installation (
        single boolean PRIMARY KEY DEFAULT true CONSTRAINT installation_single CHECK (single),
        id uuid NOT NULL DEFAULT uuidv7(),
        has_marked boolean NOT NULL DEFAULT false)`);
    await runner.query(
      `INSERT INTO installation (id) SELECT coalesce(obj_description('content'::regclass, 'pg_class')::uuid, uuidv7())`,
    );
    await runner.query(`COMMENT ON TABLE content IS NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DO $$ BEGIN EXECUTE (SELECT format('COMMENT ON TABLE content IS %L', id::text) FROM installation); END $$`,
    );
    await runner.query(`DROP TABLE installation`);
  }
}
