import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Maintains the sum of the stored bytes in a table of its own, so that no query has to scan all contents for it. A statement that
 * changes the sum adds its share to a row that no other transaction has locked, or to a new one: no transaction waits for another, and
 * there are only as many rows as the most such transactions that ever ran at once.
 */
export class StoredTotal1700000012000 implements MigrationInterface {
  readonly name = "StoredTotal1700000012000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE stored_total (id uuid PRIMARY KEY DEFAULT uuidv7(), bytes bigint NOT NULL)`);
    await runner.query(`
      CREATE FUNCTION add_to_stored_total() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE
        change bigint := 0;
      BEGIN
        IF TG_OP <> 'DELETE' THEN
          change := change + (SELECT coalesce(sum(stored_size), 0) FROM after_it WHERE stored);
        END IF;
        IF TG_OP <> 'INSERT' THEN
          change := change - (SELECT coalesce(sum(stored_size), 0) FROM before_it WHERE stored);
        END IF;
        IF change <> 0 THEN
          UPDATE stored_total SET bytes = bytes + change WHERE id = (SELECT id FROM stored_total LIMIT 1 FOR UPDATE SKIP LOCKED);
          IF NOT FOUND THEN
            INSERT INTO stored_total (bytes) VALUES (change);
          END IF;
        END IF;
        RETURN NULL;
      END $$`);
    // creating the first trigger locks the table against writers until the sum below is committed
    for (const [event, tables] of [
      ["INSERT", "NEW TABLE AS after_it"],
      ["UPDATE", "OLD TABLE AS before_it NEW TABLE AS after_it"],
      ["DELETE", "OLD TABLE AS before_it"],
    ])
      await runner.query(
        `CREATE TRIGGER stored_total_${event?.toLowerCase()} AFTER ${event} ON content REFERENCING ${tables} FOR EACH STATEMENT EXECUTE FUNCTION add_to_stored_total()`,
      );
    await runner.query(
      `INSERT INTO stored_total (bytes) SELECT coalesce(sum(stored_size), 0) FROM content WHERE stored`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const event of ["insert", "update", "delete"])
      await runner.query(`DROP TRIGGER stored_total_${event} ON content`);
    await runner.query(`DROP FUNCTION add_to_stored_total`);
    await runner.query(`DROP TABLE stored_total`);
  }
}
