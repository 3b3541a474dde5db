import type { MigrationInterface, QueryRunner } from "typeorm";

/**
 * The fingerprints of a change stand in its row: as rows of their own each had the ids of its snapshot and its run three times over, in the table and in
 * two indexes. The view gives them as rows, to services of the version before too, which also write by it while they stand beside newer ones.
 */
export class HunksOfChanges1700000065000 implements MigrationInterface {
  readonly name = "HunksOfChanges1700000065000";

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE change ADD COLUMN hunks bytea[]`);
    await runner.query(`
      UPDATE change c SET hunks = h.fingerprints
      FROM (SELECT snapshot_id, array_agg(fingerprint ORDER BY fingerprint) AS fingerprints FROM change_hunk GROUP BY 1) h
      WHERE h.snapshot_id = c.snapshot_id`);
    await runner.query(`DROP TABLE change_hunk`);
    // a change that is unchanged has none, and only the others are found by their run
    await runner.query(`
      CREATE VIEW change_hunk AS
      SELECT c.snapshot_id, h.fingerprint, c.run_id FROM change c CROSS JOIN LATERAL unnest(c.hunks) AS h (fingerprint)
      WHERE c.state <> 'done' OR c.kind <> 'unchanged'`);
    await runner.query(`
      CREATE FUNCTION change_hunk_added() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE change SET hunks = array_append(hunks, NEW.fingerprint)
        WHERE snapshot_id = NEW.snapshot_id AND NOT NEW.fingerprint = ANY (coalesce(hunks, '{}'));
        RETURN NEW;
      END $$`);
    await runner.query(`
      CREATE FUNCTION change_hunk_taken() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        UPDATE change SET hunks = nullif(array_remove(hunks, OLD.fingerprint), '{}') WHERE snapshot_id = OLD.snapshot_id;
        RETURN OLD;
      END $$`);
    await runner.query(`
      CREATE TRIGGER change_hunk_added INSTEAD OF INSERT ON change_hunk FOR EACH ROW EXECUTE FUNCTION change_hunk_added()`);
    await runner.query(`
      CREATE TRIGGER change_hunk_taken INSTEAD OF DELETE ON change_hunk FOR EACH ROW EXECUTE FUNCTION change_hunk_taken()`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER VIEW change_hunk RENAME TO change_hunk_before`);
    await runner.query(`
      CREATE TABLE change_hunk (
        snapshot_id uuid NOT NULL CONSTRAINT fk_change_hunk_change REFERENCES change (snapshot_id) ON DELETE CASCADE,
        fingerprint bytea NOT NULL,
        run_id uuid,
        PRIMARY KEY (snapshot_id, fingerprint))`);
    await runner.query(`
      INSERT INTO change_hunk (snapshot_id, fingerprint, run_id) SELECT snapshot_id, fingerprint, run_id FROM change_hunk_before`);
    await runner.query(`CREATE INDEX change_hunk_of_run ON change_hunk (run_id, fingerprint, snapshot_id)`);
    await runner.query(`DROP VIEW change_hunk_before`);
    await runner.query(`DROP FUNCTION change_hunk_added, change_hunk_taken`);
    await runner.query(`ALTER TABLE change DROP COLUMN hunks`);
  }
}
