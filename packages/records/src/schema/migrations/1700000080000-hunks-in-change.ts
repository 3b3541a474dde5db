import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * Stores the kinds of a change in its own row: a row and two index entries for each place of each page took a tenth of the database and of
 * the cost of recording a release. Queries read them as before, now from a view, into which services of the previous version also write
 * while they run beside newer ones.
 */
export class HunksInChange1700000080000 implements MigrationInterface {
  readonly name = "HunksInChange1700000080000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE change ADD COLUMN hunks bytea[]`);
    await runner.query(`
      UPDATE change c SET hunks = h.fingerprints
      FROM (SELECT snapshot_id, array_agg(fingerprint ORDER BY fingerprint) AS fingerprints FROM change_hunk GROUP BY 1) h WHERE h.snapshot_id = c.snapshot_id`);
    await runner.query(`DROP TABLE change_hunk`);
    // the same condition as in the index `change_of_run`, so that queries can use that index
    await runner.query(`
      CREATE VIEW change_hunk AS
        SELECT c.snapshot_id, h.fingerprint, c.run_id FROM change c CROSS JOIN LATERAL unnest(c.hunks) AS h (fingerprint)
        WHERE c.state <> 'done' OR c.kind <> 'unchanged'`);
    await runner.query(`
      CREATE FUNCTION change_hunk_write() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'INSERT' THEN
          UPDATE change SET hunks = array_append(hunks, NEW.fingerprint)
          WHERE snapshot_id = NEW.snapshot_id AND (NEW.fingerprint = ANY(hunks)) IS NOT TRUE;
          RETURN NEW;
        END IF;
        UPDATE change SET hunks = nullif(array_remove(hunks, OLD.fingerprint), '{}') WHERE snapshot_id = OLD.snapshot_id;
        RETURN OLD;
      END $$`);
    await runner.query(
      `CREATE TRIGGER change_hunk_write INSTEAD OF INSERT OR DELETE ON change_hunk FOR EACH ROW EXECUTE FUNCTION change_hunk_write()`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP VIEW change_hunk`);
    await runner.query(`DROP FUNCTION change_hunk_write`);
    await runner.query(`
      CREATE TABLE change_hunk (
        snapshot_id uuid NOT NULL CONSTRAINT fk_change_hunk_change REFERENCES change (snapshot_id) ON DELETE CASCADE,
        fingerprint bytea NOT NULL,
        run_id uuid,
        PRIMARY KEY (snapshot_id, fingerprint))`);
    await runner.query(`
      INSERT INTO change_hunk (snapshot_id, fingerprint, run_id)
      SELECT c.snapshot_id, h.fingerprint, c.run_id FROM change c CROSS JOIN LATERAL unnest(c.hunks) AS h (fingerprint)`);
    await runner.query(`CREATE INDEX change_hunk_of_run ON change_hunk (run_id, fingerprint)`);
    await runner.query(`ALTER TABLE change DROP COLUMN hunks`);
  }
}
