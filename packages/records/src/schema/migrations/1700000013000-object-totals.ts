import type { MigrationInterface, QueryRunner } from "typeorm";

/** The SQL literals of the counted statuses as a migration has them: in this one as positions in the contract's instanceStatus. */
export interface CountedStatuses {
  changed: string;
  failed: string;
}
export const positions: CountedStatuses = { changed: "2", failed: "0" };

/** SQL: sums what these rows of instances add to the totals of each object; `sign` is -1 for removed rows. */
const sharesOf = (rows: string, { changed, failed }: CountedStatuses) => `
  SELECT test_object_id, sum(sign)::int AS instances, sum(sign * snapshots_total)::int AS snapshots,
         sum(sign * (status = ${changed})::int)::int AS changed, sum(sign * (status = ${failed})::int)::int AS failed
  FROM (${rows}) r GROUP BY test_object_id`;

const added = `SELECT 1 AS sign, test_object_id, snapshots_total, status FROM after_it`;
const removed = `SELECT -1 AS sign, test_object_id, snapshots_total, status FROM before_it`;

/** For each trigger event, the rows that the statement added (as they are after it) and removed (as they were before it). */
const events = [
  { event: "insert", tables: "NEW TABLE AS after_it", rows: added },
  { event: "update", tables: "OLD TABLE AS before_it NEW TABLE AS after_it", rows: `${added} UNION ALL ${removed}` },
  { event: "delete", tables: "OLD TABLE AS before_it", rows: removed },
] as const;

/*
 * Skips objects whose totals do not change, as with most statements, and adds no row for an object that is itself deleted.
 */
const addShares = (rows: string, statuses: CountedStatuses) => `
  DECLARE
    share record;
  BEGIN
    FOR share IN ${sharesOf(rows, statuses)} LOOP
      CONTINUE WHEN (share.instances, share.snapshots, share.changed, share.failed) = (0, 0, 0, 0);
      UPDATE object_total SET
        instances = instances + share.instances, snapshots = snapshots + share.snapshots,
        changed = changed + share.changed, failed = failed + share.failed
      WHERE id = (SELECT id FROM object_total WHERE test_object_id = share.test_object_id LIMIT 1 FOR UPDATE SKIP LOCKED);
      IF NOT FOUND THEN
        INSERT INTO object_total (test_object_id, instances, snapshots, changed, failed)
        SELECT share.test_object_id, share.instances, share.snapshots, share.changed, share.failed
        WHERE EXISTS (SELECT 1 FROM test_object WHERE id = share.test_object_id);
      END IF;
    END LOOP;
    RETURN NULL;
  END`;

/** SQL: creates or replaces the trigger functions that maintain the totals. */
export const countingFunctions = (statuses: CountedStatuses): string[] =>
  events.map(
    ({ event, rows }) =>
      `CREATE OR REPLACE FUNCTION object_total_${event}() RETURNS trigger LANGUAGE plpgsql AS $$ ${addShares(rows, statuses)} $$`,
  );

/**
 * Maintains the totals of each object's instances in a table of their own, so that a list of objects reads no instances; see
 * docs/decisions/014-reads-of-many.md. As with the stored bytes, a statement adds its share to a row that no other transaction has locked, or
 * to a new one, so that no transaction waits for another. Also adds indexes for what else the list scanned: all runs of an object, and all
 * instances to find the one with the most snapshots.
 */
export class ObjectTotals1700000013000 implements MigrationInterface {
  readonly name = "ObjectTotals1700000013000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE object_total (
        id uuid PRIMARY KEY DEFAULT uuidv7(),
        test_object_id uuid NOT NULL CONSTRAINT fk_object_total_test_object REFERENCES test_object (id) ON DELETE CASCADE,
        instances integer NOT NULL,
        snapshots integer NOT NULL,
        changed integer NOT NULL,
        failed integer NOT NULL
      )`);
    await runner.query(`CREATE INDEX object_total_of ON object_total (test_object_id)`);
    for (const statement of countingFunctions(positions)) await runner.query(statement);
    // creating the first trigger locks the table against writers until the sums below are committed
    for (const { event, tables } of events) {
      await runner.query(
        `CREATE TRIGGER object_total_${event} AFTER ${event.toUpperCase()} ON test_instance REFERENCING ${tables} FOR EACH STATEMENT EXECUTE FUNCTION object_total_${event}()`,
      );
    }
    await runner.query(`
      INSERT INTO object_total (test_object_id, instances, snapshots, changed, failed)
      ${sharesOf("SELECT 1 AS sign, test_object_id, snapshots_total, status FROM test_instance", positions)}`);
    await runner.query(`CREATE INDEX instance_snapshots ON test_instance (test_object_id, snapshots_total)`);
    await runner.query(`CREATE INDEX run_of_kind ON run (test_object_id, kind, id)`);
    await runner.query(`CREATE INDEX run_going ON run (test_object_id) WHERE state = 'running'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const index of ["run_going", "run_of_kind", "instance_snapshots"]) await runner.query(`DROP INDEX ${index}`);
    for (const { event } of events) {
      await runner.query(`DROP TRIGGER object_total_${event} ON test_instance`);
      await runner.query(`DROP FUNCTION object_total_${event}`);
    }
    await runner.query(`DROP TABLE object_total`);
  }
}
