import { limits } from "@web-tester/contracts/limits";
import type { Queryable } from "@web-tester/platform/database/database";

/** Numbers of removed snapshots by reason; if several reasons hold, the first one in this order counts. */
export interface Removed {
  byAge: number;
  byCount: number;
  unchanged: number;
}

const due = `
  SELECT id FROM test_object o
  WHERE NOT deleting AND (keep_days IS NOT NULL OR keep_snapshots IS NOT NULL OR keep_changed_only)
    AND (retention_waits_until IS NULL OR retention_waits_until < now())
    AND (retention_checked_at IS NULL OR retention_checked_at < now() - interval '1 hour' OR retention_checked_at > now()
      OR EXISTS (SELECT 1 FROM run r WHERE r.test_object_id = o.id AND r.finished_at >= o.retention_checked_at))
  ORDER BY id`;

/** Objects with retention rules whose snapshots may have become too old or too many since the last round, or whose last one a wrong clock noted. */
export async function objectsToTrim(db: Queryable): Promise<string[]> {
  return (await db.query<{ id: string }>(due)).map(({ id }) => id);
}

/** When a round began, and the rules at that time. */
export interface RoundBegin {
  now: Date;
  keep_days: number | null;
  keep_snapshots: number | null;
  keep_changed_only: boolean;
}

/** @returns null when the object does not exist any more */
export async function beginTrimming(db: Queryable, objectId: string): Promise<RoundBegin | null> {
  const [row] = await db.query<RoundBegin>(
    "SELECT now() AS now, keep_days, keep_snapshots, keep_changed_only FROM test_object WHERE id = $1",
    [objectId],
  );
  return row ?? null;
}

const lock = `
  SELECT id FROM test_object
  WHERE id = $1 AND NOT deleting AND (keep_days IS NOT NULL OR keep_snapshots IS NOT NULL OR keep_changed_only)
    AND (retention_waits_until IS NULL OR retention_waits_until < now())
  FOR NO KEY UPDATE`;

/**
 * Locks an object, so that two replicas never apply its rules at the same time, and a change of the rules waits for the end of a batch.
 * @returns whether there are rules to apply now
 */
export async function lockRules(tx: Queryable, objectId: string): Promise<boolean> {
  return (await tx.query(lock, [objectId])).length > 0;
}

const record = `
  UPDATE test_object
  SET removed_by_age = removed_by_age + $2, removed_by_count = removed_by_count + $3, removed_unchanged = removed_unchanged + $4, removed_at = now()
  WHERE id = $1`;

/** Adds to the numbers of snapshots that an object's rules have removed so far. */
export async function recordRemoved(tx: Queryable, objectId: string, removed: Removed): Promise<void> {
  await tx.query(record, [objectId, removed.byAge, removed.byCount, removed.unchanged]);
}

/**
 * Records that a round has ended: there is nothing to remove until a run ends or an hour has passed. If the rules were changed since the
 * round began, nothing is recorded.
 * @param begun when it began, and under which rules
 */
export async function markTrimmed(
  db: Queryable,
  objectId: string,
  { now: since, ...rules }: RoundBegin,
): Promise<void> {
  await db.query(
    `UPDATE test_object SET retention_checked_at = $2 WHERE id = $1 AND (keep_days, keep_snapshots, keep_changed_only) IS NOT DISTINCT FROM ($3::int, $4::int, $5::boolean)`,
    [objectId, since, rules.keep_days, rules.keep_snapshots, rules.keep_changed_only],
  );
}

/*
 * An estimate that follows the rules: what the differ will find unchanged is not known yet, so equal content counts as unchanged. The
 * newest snapshot of a page always stays.
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
 * Suspends an object's retention rules if they would remove some of the snapshots that were just imported, so that its owner can see them
 * first.
 * @param imported ids of the new snapshots with HTML
 * @returns about how many would be removed, and until when the rules are suspended; null when nothing would be removed
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
