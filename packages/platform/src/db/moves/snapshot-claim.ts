import type { Queryable } from "../database.js";

/** A snapshot that this worker may fetch now, with all it needs to know. `fence` proves the claim when finishing. */
export interface ClaimedSnapshot {
  id: string;
  fence: number;
  attempts: number;
  runId: string | null;
  instanceId: string;
  url: string;
  objectId: string;
  objectUrl: string;
  requestDelayMs: number;
  authEnabled: boolean;
  authType: string;
  authUsername: string;
  authPasswordSealed: Buffer | null;
}

const claim = `
  WITH picked AS (
    SELECT id FROM test_snapshot
    WHERE id = ANY($1) AND (state = 'queued' OR (state = 'running' AND lease_until < now()))
    ORDER BY id FOR UPDATE SKIP LOCKED
  ), claimed AS (
    UPDATE test_snapshot s
    SET state = 'running', attempts = s.attempts + 1, fence = s.fence + 1, lease_until = now() + $2::int * interval '1 ms'
    FROM picked WHERE s.id = picked.id
    RETURNING s.id, s.fence, s.attempts, s.run_id, s.test_instance_id
  )
  SELECT c.id, c.fence, c.attempts, c.run_id AS "runId", i.id AS "instanceId", i.url, o.id AS "objectId", o.url AS "objectUrl",
         greatest(o.request_delay_ms, (SELECT delay_ms FROM robots_file r WHERE NOT o.ignore_robots AND r.origin = substring(i.url FROM '^https?://[^/?#]+'))) AS "requestDelayMs",
         o.auth_enabled AS "authEnabled", o.auth_type AS "authType", o.auth_username AS "authUsername", o.auth_password_sealed AS "authPasswordSealed"
  FROM claimed c
  JOIN test_instance i ON i.id = c.test_instance_id
  JOIN test_object o ON o.id = i.test_object_id
  ORDER BY c.id`;

/**
 * Moves queued snapshots, and running ones whose lease ran out, to running under a new fence. Rows that are past this
 * state, or in another worker's hands, are left out, so a message that comes twice does its work once.
 */
export function claimSnapshots(db: Queryable, ids: readonly string[], leaseMs: number): Promise<ClaimedSnapshot[]> {
  return db.query<ClaimedSnapshot>(claim, [ids, leaseMs]);
}
