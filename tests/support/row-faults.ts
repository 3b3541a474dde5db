import type { Queryable } from "@web-tester/platform/database/database";

/** Returns every violation of the invariants that hold at any time, also while work goes on. */
export async function rowFaults(db: Queryable): Promise<string[]> {
  const found: string[] = [];
  const look = async (what: string, sql: string) => {
    const rows = await db.query(sql);
    if (rows.length > 0) found.push(`${what}: ${JSON.stringify(rows)}`);
  };
  await look(
    "counters of a run that goes on",
    `SELECT r.kind, r.total, r.completed, r.failed, r.changed, count(s.id)::int AS rows FROM run r LEFT JOIN test_snapshot s ON s.run_id = r.id LEFT JOIN change c ON c.snapshot_id = s.id
     WHERE r.state = 'running' AND r.kind LIKE 'snapshot-%' GROUP BY r.id
     HAVING r.total <> count(s.id) OR r.completed <> count(s.id) FILTER (WHERE s.state IN ('done', 'failed', 'cancelled'))
       OR r.changed <> count(s.id) FILTER (WHERE c.state = 'done' AND c.kind = 'changed')`,
  );
  await look(
    "runs that nothing ends any more",
    `SELECT kind, total, completed FROM run r WHERE state = 'running'
       AND NOT EXISTS (SELECT 1 FROM test_snapshot WHERE run_id = r.id AND state IN ('queued', 'running'))`,
  );
  await look(
    "runs that ended short",
    `SELECT kind, state, total, completed FROM run WHERE state <> 'running' AND completed <> total`,
  );
  await look(
    "open rows of runs that are over",
    `SELECT s.state, r.kind FROM test_snapshot s LEFT JOIN run r ON r.id = s.run_id WHERE s.state IN ('queued', 'running') AND r.state IS DISTINCT FROM 'running'`,
  );
  await look(
    "counts of pages",
    `SELECT i.url, i.snapshots_total, count(s.*)::int FROM test_instance i LEFT JOIN test_snapshot s ON s.test_instance_id = i.id GROUP BY i.id HAVING i.snapshots_total <> count(s.*)`,
  );
  await look(
    "pages that show what is gone",
    `SELECT url FROM test_instance i WHERE last_snapshot_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM test_snapshot WHERE id = i.last_snapshot_id)`,
  );
  await look(
    "totals of objects",
    `SELECT o.id FROM test_object o
     CROSS JOIN LATERAL (SELECT coalesce(sum(instances), 0) AS n, coalesce(sum(snapshots), 0) AS snapshots, coalesce(sum(changed), 0) AS changed FROM object_total WHERE test_object_id = o.id) t
     CROSS JOIN LATERAL (SELECT count(*) AS n, coalesce(sum(snapshots_total), 0) AS snapshots, count(*) FILTER (WHERE status = 'changed') AS changed FROM test_instance WHERE test_object_id = o.id) i
     WHERE (t.n, t.snapshots, t.changed) <> (i.n, i.snapshots, i.changed)`,
  );
  await look(
    "comparisons with what is gone",
    `SELECT snapshot_id FROM change c WHERE previous_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM test_snapshot WHERE id = c.previous_id) AND state = 'done'`,
  );
  return found;
}
