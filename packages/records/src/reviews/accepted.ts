/**
 * SQL: accepted snapshots, accepted either as a page or by accepting all kinds of its changes. Columns: `page`, `snapshot_id`, `gone` (true
 * if it was accepted that the page is gone) and `parts` (the parts of the page that counted then, null: all).
 * @param object SQL of the object's id
 * @param isMeant returns an SQL condition that selects pages by this SQL of their id
 */
export const accepted = (object: string, isMeant: (page: string) => string) => `
  SELECT s.test_instance_id AS page, s.id AS snapshot_id, false AS gone, NULL::jsonb AS parts
  FROM run r JOIN verdict v ON v.run_id = r.id AND v.verdict = 'accepted' AND v.test_instance_id IS NOT NULL
  JOIN test_snapshot s ON s.run_id = r.id AND s.test_instance_id = v.test_instance_id AND s.state = 'done'
  WHERE r.test_object_id = ${object} AND ${isMeant("v.test_instance_id")}
  UNION ALL
  SELECT s.test_instance_id, s.id, false, NULL
  FROM (SELECT DISTINCT r.id FROM run r JOIN verdict v ON v.run_id = r.id AND v.verdict = 'accepted' AND v.fingerprint IS NOT NULL WHERE r.test_object_id = ${object}) r
  JOIN test_snapshot s ON s.run_id = r.id AND s.state = 'done' AND ${isMeant("s.test_instance_id")}
  JOIN LATERAL (
    SELECT bool_and(v.id IS NOT NULL) AS whole FROM change_hunk h
    LEFT JOIN verdict v ON v.run_id = h.run_id AND v.fingerprint = h.fingerprint AND v.verdict = 'accepted' WHERE h.snapshot_id = s.id
  ) h ON h.whole
  WHERE NOT EXISTS (SELECT 1 FROM verdict p WHERE p.run_id = r.id AND p.test_instance_id = s.test_instance_id)
  UNION ALL
  SELECT c.test_instance_id, c.other_id, c.kind = 'gone', CASE WHEN c.kind = 'changed' THEN k.parts END
  FROM (SELECT DISTINCT r.id FROM run r JOIN verdict v ON v.run_id = r.id AND v.verdict = 'accepted' WHERE r.test_object_id = ${object} AND r.kind = 'compare') r
  JOIN comparison k ON k.run_id = r.id
  JOIN test_instance i ON i.test_object_id = ${object}
  JOIN compared_page c ON c.test_instance_id = i.id AND c.run_id = r.id AND c.state = 'done' AND c.kind IN ('new', 'gone', 'changed') AND c.other_id IS NOT NULL AND ${isMeant("c.test_instance_id")}
  LEFT JOIN verdict p ON p.run_id = r.id AND p.test_instance_id = c.test_instance_id
  LEFT JOIN LATERAL (
    SELECT bool_and(v.id IS NOT NULL) AS whole FROM compared_hunk h
    LEFT JOIN verdict v ON v.run_id = h.run_id AND v.fingerprint = h.fingerprint AND v.verdict = 'accepted' WHERE h.page_id = c.id
  ) h ON true
  WHERE p.verdict = 'accepted' OR (p.id IS NULL AND h.whole)`;

/** SQL: the first Fetch All of an object, whose snapshots count as accepted without a verdict: `id` and `ended_at`. @param object SQL of the object's id */
export const firstFetch = (object: string) =>
  `SELECT id, coalesce(finished_at, created_at) AS ended_at FROM run WHERE test_object_id = ${object} AND kind = 'snapshot-all' ORDER BY id LIMIT 1`;
