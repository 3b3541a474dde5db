/**
 * SQL: a CTE that keeps what fingerprints stand for. One that is there already is marked as in use, once a day, so that it is not collected
 * while the change that has it is written.
 * @param hunks CTE with `test_instance_id`, `fingerprint`, `place`, `removed`, `added` and `kind`
 */
export const keepHunkTexts = (hunks: string) => `
  hunk_texts AS (
    INSERT INTO hunk_text AS t (test_object_id, fingerprint, place, removed, added, kind)
    SELECT DISTINCT ON (i.test_object_id, h.fingerprint) i.test_object_id, h.fingerprint, h.place, h.removed, h.added, coalesce(h.kind, 'content')
    FROM ${hunks} h JOIN test_instance i ON i.id = h.test_instance_id
    WHERE NOT EXISTS (
      SELECT 1 FROM hunk_text k WHERE k.test_object_id = i.test_object_id AND k.fingerprint = h.fingerprint AND k.named_at > now() - interval '1 day')
    ORDER BY 1, 2
    ON CONFLICT (test_object_id, fingerprint) DO UPDATE SET named_at = now() WHERE t.named_at <= now() - interval '1 day'
  )`;

/**
 * SQL: CTEs that keep what of changes matters, in place of what was kept of them before.
 * @param rows CTE with `snapshot_id`, `test_instance_id`, `run_id`, `significant` and `hunks` (JSON of RecordedHunk[])
 */
export const writeHunks = (rows: string) => `
  hunks AS (
    SELECT DISTINCT ON (p.snapshot_id, h.fingerprint) p.snapshot_id, p.run_id, p.test_instance_id, decode(h.fingerprint, 'hex') AS fingerprint,
      decode(h.place, 'hex') AS place, h.removed, h.added, h.kind
    FROM ${rows} p CROSS JOIN LATERAL jsonb_to_recordset(p.hunks) AS h (fingerprint text, place text, removed text, added text, kind text)
    WHERE p.significant
  ), hunks_gone AS (
    DELETE FROM change_hunk c USING ${rows} p
    WHERE c.snapshot_id = p.snapshot_id AND NOT EXISTS (SELECT 1 FROM hunks h WHERE h.snapshot_id = c.snapshot_id AND h.fingerprint = c.fingerprint)
  ), hunks_kept AS (
    INSERT INTO change_hunk (snapshot_id, fingerprint, run_id) SELECT snapshot_id, fingerprint, run_id FROM hunks ON CONFLICT DO NOTHING
  ), ${keepHunkTexts("hunks")}`;
