import { limits } from "@web-tester/contracts/limits";
import type { Queryable } from "@web-tester/platform/database/database";

/*
 * An estimate, made like the rules themselves: what the differ will find unchanged is not known yet, equal content is. The newest
 * snapshot of a page always stays.
 */
const hold = `
  WITH ranked AS (
    SELECT s.id, s.created_at, s.content_hash,
      count(*) OVER (PARTITION BY s.test_instance_id ORDER BY s.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newer,
      lag(s.content_hash) OVER (PARTITION BY s.test_instance_id ORDER BY s.id) AS before
    FROM test_snapshot s
    WHERE s.state = 'done' AND s.test_instance_id IN (SELECT test_instance_id FROM test_snapshot WHERE id = ANY($2))
  ), due AS (
    SELECT count(*)::int AS snapshots FROM ranked r JOIN test_object o ON o.id = $1
    WHERE r.id = ANY($2) AND r.newer > 0
      AND (r.created_at < now() - o.keep_days * interval '1 day' OR r.newer >= o.keep_snapshots OR (o.keep_changed_only AND r.content_hash = r.before))
  )
  UPDATE test_object o SET retention_waits_until = now() + $3::int * interval '1 day'
  FROM due WHERE o.id = $1 AND due.snapshots > 0 RETURNING due.snapshots, o.retention_waits_until AS until`;

const rules = `SELECT 1 FROM test_object WHERE id = $1 AND (keep_days IS NOT NULL OR keep_snapshots IS NOT NULL OR keep_changed_only)`;

/**
 * Where an object's rules would remove some of what an import has just brought, they wait: who imports history shall see it first.
 * @param imported snapshots with HTML that are new
 * @returns how many of them, about, and until when they are kept; null where nothing is to be waited for
 */
export async function holdRetention(
  tx: Queryable,
  objectId: string,
  imported: readonly string[],
): Promise<{ snapshots: number; until: Date } | null> {
  if (imported.length === 0 || (await tx.query(rules, [objectId])).length === 0) return null;
  const [held] = await tx.query<{ snapshots: number; until: Date }>(hold, [
    objectId,
    imported,
    limits.retentionWaitsDays,
  ]);
  return held ?? null;
}
