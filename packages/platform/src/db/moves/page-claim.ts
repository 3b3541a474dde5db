import type { Queryable } from "../database.js";

/** A frontier address that this worker may visit now. */
export interface ClaimedPage {
  id: string;
  fence: number;
  attempts: number;
  runId: string;
  url: string;
  depth: number;
  objectId: string;
  objectUrl: string;
  excludeList: string[];
  authEnabled: boolean;
  authType: string;
  authUsername: string;
  authPasswordSealed: Buffer | null;
}

const claim = `
  WITH picked AS (
    SELECT id FROM crawl_page
    WHERE id = ANY($1) AND (state = 'queued' OR (state = 'running' AND lease_until < now()))
    ORDER BY id FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE crawl_page p
    SET state = 'running', attempts = p.attempts + 1, fence = p.fence + 1, lease_until = now() + $2::int * interval '1 ms'
    FROM picked WHERE p.id = picked.id
    RETURNING p.id, p.fence, p.attempts, p.run_id, p.url, p.depth
  )
  SELECT c.id, c.fence, c.attempts, c.run_id AS "runId", c.url, c.depth, o.id AS "objectId", o.url AS "objectUrl", o.exclude_list AS "excludeList",
         o.auth_enabled AS "authEnabled", o.auth_type AS "authType", o.auth_username AS "authUsername", o.auth_password_sealed AS "authPasswordSealed"
  FROM claimed c
  JOIN run ON run.id = c.run_id
  JOIN test_object o ON o.id = run.test_object_id
  ORDER BY c.id`;

/** As claimSnapshots, for the addresses of a crawl. */
export function claimPages(db: Queryable, ids: readonly string[], leaseMs: number): Promise<ClaimedPage[]> {
  return db.query<ClaimedPage>(claim, [ids, leaseMs]);
}

const renew = `
  UPDATE crawl_page p SET lease_until = now() + $3::int * interval '1 ms'
  FROM unnest($1::uuid[], $2::int[]) AS held (id, fence)
  WHERE p.id = held.id AND p.fence = held.fence AND p.state = 'running'
  RETURNING p.id`;

/** @returns ids still held; the others were cancelled, deleted or given away */
export async function renewPages(
  db: Queryable,
  held: readonly { id: string; fence: number }[],
  leaseMs: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(renew, [
    held.map((row) => row.id),
    held.map((row) => row.fence),
    leaseMs,
  ]);
  return rows.map((row) => row.id);
}

const release = `
  UPDATE crawl_page p
  SET state = 'queued', queued_at = now(), lease_until = NULL, attempts = p.attempts - CASE WHEN $3 THEN 1 ELSE 0 END
  FROM unnest($1::uuid[], $2::int[]) AS held (id, fence)
  WHERE p.id = held.id AND p.fence = held.fence AND p.state = 'running'`;

/** Gives addresses back to be tried again; `uncounted` takes the attempt back. */
export async function releasePages(
  db: Queryable,
  held: readonly { id: string; fence: number }[],
  uncounted: boolean,
): Promise<void> {
  await db.query(release, [held.map((row) => row.id), held.map((row) => row.fence), uncounted]);
}
