/**
 * SQL: a CTE that keeps what fingerprints stand for.
 * @param hunks CTE with `test_instance_id`, `fingerprint`, `place`, `removed` and `added`
 */
export const keepHunkTexts = (hunks: string) => `
  hunk_texts AS (
    INSERT INTO hunk_text (test_object_id, fingerprint, place, removed, added)
    SELECT DISTINCT ON (i.test_object_id, h.fingerprint) i.test_object_id, h.fingerprint, h.place, h.removed, h.added
    FROM ${hunks} h JOIN test_instance i ON i.id = h.test_instance_id ORDER BY 1, 2
    ON CONFLICT DO NOTHING
  )`;

/**
 * SQL: CTEs that keep what of changes matters, in place of what was kept of them before.
 * @param rows CTE with `snapshot_id`, `test_instance_id`, `run_id`, `significant` and `hunks` (JSON of RecordedHunk[])
 */
export const writeHunks = (rows: string) => `
  hunks AS (
    SELECT DISTINCT ON (p.snapshot_id, h.fingerprint) p.snapshot_id, p.run_id, p.test_instance_id, decode(h.fingerprint, 'hex') AS fingerprint,
      decode(h.place, 'hex') AS place, h.removed, h.added
    FROM ${rows} p CROSS JOIN LATERAL jsonb_to_recordset(p.hunks) AS h (fingerprint text, place text, removed text, added text)
    WHERE p.significant
  ), hunks_gone AS (
    DELETE FROM change_hunk c USING ${rows} p
    WHERE c.snapshot_id = p.snapshot_id AND NOT EXISTS (SELECT 1 FROM hunks h WHERE h.snapshot_id = c.snapshot_id AND h.fingerprint = c.fingerprint)
  ), hunks_kept AS (
    INSERT INTO change_hunk (snapshot_id, fingerprint, run_id) SELECT snapshot_id, fingerprint, run_id FROM hunks ON CONFLICT DO NOTHING
  ), ${keepHunkTexts("hunks")}`;
