import type { Database } from "@web-tester/platform/database/database";

/** Days for which the text of a fingerprint is kept after a change last had it, even if that change is gone. */
const keptDays = 7;
const rowsAtOnce = 1_000;

/*
 * The fingerprints in use are gathered once for each object, because an index by fingerprint would serve nothing else. No race with new
 * changes: a change that has the fingerprint of an old row first marks the row as in use (`keepHunkTexts`), so the second of the two
 * transactions sees the first.
 */
const collect = `
  WITH used AS MATERIALIZED (
    SELECT h.fingerprint FROM test_instance i JOIN test_snapshot s ON s.test_instance_id = i.id JOIN change_hunk h ON h.snapshot_id = s.id
    WHERE i.test_object_id = $1
    UNION SELECT h.fingerprint FROM run r JOIN compared_hunk h ON h.run_id = r.id WHERE r.test_object_id = $1 AND r.kind = 'compare'
  ), unused AS (
    SELECT t.fingerprint FROM hunk_text t
    WHERE t.test_object_id = $1 AND t.named_at < now() - make_interval(days => ${keptDays})
      AND NOT EXISTS (SELECT 1 FROM used u WHERE u.fingerprint = t.fingerprint) LIMIT ${rowsAtOnce}
  )
  DELETE FROM hunk_text t USING unused u
  WHERE t.test_object_id = $1 AND t.fingerprint = u.fingerprint AND t.named_at < now() - make_interval(days => ${keptDays}) RETURNING 1`;

const objects = `
  SELECT DISTINCT test_object_id AS id FROM hunk_text WHERE named_at < now() - make_interval(days => ${keptDays}) ORDER BY 1`;

/* Runs are kept, but their samples are deleted together with the snapshot (or page of a comparison) that they come from. */
const collectSamples = `
  DELETE FROM hunk_sample x USING (
    SELECT h.run_id, h.fingerprint FROM hunk_sample h
    WHERE NOT EXISTS (SELECT 1 FROM test_snapshot s WHERE s.id = h.sample_id) AND NOT EXISTS (SELECT 1 FROM compared_page c WHERE c.id = h.sample_id)
    LIMIT ${rowsAtOnce}
  ) gone WHERE x.run_id = gone.run_id AND x.fingerprint = gone.fingerprint RETURNING 1`;

/** Removes the texts of fingerprints that no change has any more. @returns how many */
export async function collectHunkTexts(db: Database, signal: AbortSignal): Promise<number> {
  while (!signal.aborted && (await db.query(collectSamples, [])).length === rowsAtOnce);
  let removed = 0;
  for (const { id } of await db.query<{ id: string }>(objects, [])) {
    for (;;) {
      if (signal.aborted) return removed;
      const rows = await db.query(collect, [id]);
      removed += rows.length;
      if (rows.length < rowsAtOnce) break;
    }
  }
  return removed;
}
