import type { Database } from "@web-tester/platform/database/database";

/** A file that no page has needed for this many days is forgotten, because some addresses are new at every fetch. */
const forgottenAfterDays = 14;

/*
 * Counted back from the newest file of the same site, not from now: a site that is fetched only every three months keeps its files until
 * then, for conditional requests.
 */
const forget = `
  DELETE FROM site_asset d USING (
    SELECT a.test_object_id, a.url FROM test_object o
    CROSS JOIN LATERAL (SELECT max(seen_at) AS at FROM site_asset n WHERE n.test_object_id = o.id) newest
    CROSS JOIN LATERAL (
      SELECT s.test_object_id, s.url FROM site_asset s
      WHERE s.test_object_id = o.id AND s.seen_at < newest.at - $1::int * interval '1 day' AND (s.claimed_until IS NULL OR s.claimed_until < now())
      ORDER BY s.seen_at LIMIT $2 FOR UPDATE SKIP LOCKED
    ) a LIMIT $2
  ) old
  WHERE d.test_object_id = old.test_object_id AND d.url = old.url`;

/**
 * Forgets files that sites do not need any more. Their bytes stay as long as a snapshot needs them.
 * @param batch the most rows of one statement
 */
export async function forgetOldAssets(db: Database, signal: AbortSignal, batch = 2_000): Promise<number> {
  let forgotten = 0;
  while (!signal.aborted) {
    const rows = await db.query(`${forget} RETURNING 1`, [forgottenAfterDays, batch]);
    forgotten += rows.length;
    if (rows.length < batch) break;
  }
  return forgotten;
}
