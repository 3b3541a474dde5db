import type { Queryable } from "@web-tester/platform/database/database";
import { finalUrlOf } from "@web-tester/records/snapshots/final-url";

/** A page of an object with its snapshot at one index. */
export interface ArchivedPage {
  id: string;
  name: string;
  url: string;
  snapshot_id: string;
  fetched_at: Date;
  hash: string;
  /** Of the stored bytes; pages that a browser built are UTF-8, whatever their server said of its own. */
  charset: string | null;
  headers: Record<string, unknown> | null;
  http_status: number | null;
  final_url: string | null;
  redirects: { url: string; status: number }[] | null;
}

const select = `
  SELECT i.id, i.name, i.url, s.id AS snapshot_id, coalesce(s.fetched_at, s.created_at) AS fetched_at, encode(s.content_hash, 'hex') AS hash,
    s.charset, s.headers, s.http_status, ${finalUrlOf("s")} AS final_url, s.redirects
  FROM test_instance i
  JOIN LATERAL (
    SELECT * FROM test_snapshot s WHERE s.test_instance_id = i.id AND s.state = 'done' ORDER BY s.id DESC LIMIT 1 OFFSET $2
  ) s ON true
  WHERE i.test_object_id = $1 AND i.removal_id IS NULL AND i.url > $3 ORDER BY i.url LIMIT $4`;

/** Selects instances that have a finished snapshot at an index (0 = latest), ordered by address. */
export function selectAtIndex(
  db: Queryable,
  objectId: string,
  index: number,
  afterUrl: string,
  limit: number,
): Promise<ArchivedPage[]> {
  return db.query<ArchivedPage>(select, [objectId, index, afterUrl, limit]);
}
