import type { MigrationInterface, QueryRunner } from "typeorm";

const notable = "state <> 'done' OR kind <> 'unchanged'";

/**
 * Lets the changes of a run or an object be found without reading the unchanged pages: a change that is not "unchanged" has the IDs of
 * both, with partial indexes. A trigger fills them in where they are missing: services of the previous version do not write them while
 * they run beside newer ones, and a change that is compared again may have been recorded as unchanged without them.
 */
export class NotableChanges1700000064000 implements MigrationInterface {
  readonly name = "NotableChanges1700000064000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE change ADD COLUMN test_object_id uuid, ADD COLUMN run_id uuid`);
    await runner.query(`
      UPDATE change c SET test_object_id = i.test_object_id, run_id = s.run_id FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id
      WHERE s.id = c.snapshot_id AND (c.state <> 'done' OR c.kind <> 'unchanged')`);
    await runner.query(`CREATE INDEX change_of_object ON change (test_object_id, kind, snapshot_id) WHERE ${notable}`);
    await runner.query(`CREATE INDEX change_of_run ON change (run_id, kind) WHERE ${notable}`);
    await runner.query(`
      CREATE FUNCTION change_owner() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        SELECT i.test_object_id, s.run_id INTO NEW.test_object_id, NEW.run_id
        FROM test_snapshot s JOIN test_instance i ON i.id = s.test_instance_id WHERE s.id = NEW.snapshot_id;
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER change_owner BEFORE INSERT OR UPDATE OF state ON change
      FOR EACH ROW WHEN (NEW.test_object_id IS NULL AND (NEW.state <> 'done' OR NEW.kind <> 'unchanged')) EXECUTE FUNCTION change_owner()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER change_owner ON change`);
    await runner.query(`DROP FUNCTION change_owner`);
    await runner.query(`DROP INDEX change_of_run`);
    await runner.query(`DROP INDEX change_of_object`);
    await runner.query(`ALTER TABLE change DROP COLUMN run_id, DROP COLUMN test_object_id`);
  }
}
