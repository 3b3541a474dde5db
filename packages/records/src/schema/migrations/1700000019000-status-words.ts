import type { MigrationInterface, QueryRunner } from "typeorm";
import { countingFunctions, positions } from "./1700000013000-object-totals.js";

/** The statuses of instances in the order in which lists show them: those that need attention come first. */
const words = ["failed", "running", "changed", "first", "unchanged", "fetched", "queued", "none"];
const wordList = `'{${words.join(",")}}'::text[]`;

/**
 * Stores the status of an instance as a word instead of a position; only `instance_status_order` defines the order of lists. Services of
 * the previous version still write positions while they run beside newer ones; a trigger converts these to words.
 */
export class StatusWords1700000019000 implements MigrationInterface {
  readonly name = "StatusWords1700000019000";

  async up(runner: QueryRunner): Promise<void> {
    // PostgreSQL inlines this function into queries, so that they can use the index
    await runner.query(`
      CREATE FUNCTION instance_status_order(status text) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN CASE status ${words.map((word, place) => `WHEN '${word}' THEN ${place}`).join(" ")} ELSE ${words.length} END`);
    await runner.query(`DROP INDEX instance_order`);
    await runner.query(`
      ALTER TABLE test_instance ALTER COLUMN status DROP DEFAULT,
        ALTER COLUMN status TYPE text USING (${wordList})[status + 1], ALTER COLUMN status SET DEFAULT 'none'`);
    await runner.query(
      `CREATE INDEX instance_order ON test_instance (test_object_id, instance_status_order(status), url)`,
    );
    for (const statement of countingFunctions({ changed: "'changed'", failed: "'failed'" }))
      await runner.query(statement);
    await runner.query(`
      CREATE FUNCTION instance_status_word() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        NEW.status := (${wordList})[NEW.status::int + 1];
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE TRIGGER instance_status_word BEFORE INSERT OR UPDATE OF status ON test_instance
      FOR EACH ROW WHEN (length(NEW.status) = 1) EXECUTE FUNCTION instance_status_word()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TRIGGER instance_status_word ON test_instance`);
    await runner.query(`DROP FUNCTION instance_status_word`);
    for (const statement of countingFunctions(positions)) await runner.query(statement);
    await runner.query(`DROP INDEX instance_order`);
    await runner.query(`
      ALTER TABLE test_instance ALTER COLUMN status DROP DEFAULT,
        ALTER COLUMN status TYPE smallint USING instance_status_order(status), ALTER COLUMN status SET DEFAULT 7`);
    await runner.query(`CREATE INDEX instance_order ON test_instance (test_object_id, status, url)`);
    await runner.query(`DROP FUNCTION instance_status_order`);
  }
}
