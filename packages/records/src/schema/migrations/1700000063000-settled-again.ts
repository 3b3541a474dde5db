import type { MigrationInterface, QueryRunner } from "typeorm";

/** SQL: the runs whose number of changes waiting for review is shown: the newest fetch of each object, and comparisons. */
const told = `
  SELECT r.id FROM run r WHERE r.changed > r.settled AND (r.kind = 'compare' OR r.kind = 'snapshot-all' AND r.id = (
    SELECT n.id FROM run n WHERE n.test_object_id = r.test_object_id AND n.kind = 'snapshot-all' ORDER BY n.id DESC LIMIT 1
  ))`;

/** SQL: counts a run's reviewed pages again. A changed page waits while it exists and neither it nor all of its kinds of change have a verdict. */
const settle = `
  UPDATE run SET settled = greatest(0, changed - (
    SELECT count(*)::int FROM test_snapshot s
    JOIN change c ON c.snapshot_id = s.id AND c.state = 'done' AND c.kind = 'changed' AND c.significant
    LEFT JOIN (
      SELECT h.snapshot_id, bool_and(v.id IS NOT NULL) AS settled FROM change_hunk h
      LEFT JOIN verdict v ON v.run_id = h.run_id AND v.fingerprint = h.fingerprint WHERE h.run_id = $1 GROUP BY 1
    ) g ON g.snapshot_id = s.id
    LEFT JOIN verdict p ON p.run_id = $1 AND p.test_instance_id = s.test_instance_id
    WHERE s.run_id = $1 AND (p.id IS NOT NULL OR g.settled) IS NOT TRUE
  ) - (
    SELECT count(*)::int FROM compared_page c
    LEFT JOIN (
      SELECT h.page_id, bool_and(v.id IS NOT NULL) AS settled FROM compared_hunk h
      LEFT JOIN verdict v ON v.run_id = h.run_id AND v.fingerprint = h.fingerprint WHERE h.run_id = $1 GROUP BY 1
    ) g ON g.page_id = c.id
    LEFT JOIN verdict p ON p.run_id = $1 AND p.test_instance_id = c.test_instance_id
    WHERE c.run_id = $1 AND c.state = 'done' AND c.kind IN ('changed', 'new', 'gone') AND (p.id IS NOT NULL OR g.settled) IS NOT TRUE
  )) WHERE id = $1`;

/** Removes deleted pages from the numbers of changes that wait for review, as deletions did not correct these numbers in earlier versions. */
export class SettledAgain1700000063000 implements MigrationInterface {
  readonly name = "SettledAgain1700000063000";

  async up(runner: QueryRunner): Promise<void> {
    const runs: { id: string }[] = await runner.query(told);
    for (const { id } of runs) await runner.query(settle, [id]);
  }

  /** Nothing to undo: older versions can use the corrected numbers too. */
  async down(): Promise<void> {}
}
