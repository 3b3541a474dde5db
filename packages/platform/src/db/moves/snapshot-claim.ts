import type { Queryable } from "../database.js";
import { claimRows } from "./held-rows.js";

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
  assetSnapshots: boolean;
  authEnabled: boolean;
  authType: string;
  authUsername: string;
  authPasswordSealed: Buffer | null;
}

const claim = `${claimRows("test_snapshot", ["run_id", "test_instance_id"])}
  SELECT c.id, c.fence, c.attempts, c.run_id AS "runId", i.id AS "instanceId", i.url, o.id AS "objectId", o.url AS "objectUrl",
         greatest(o.request_delay_ms, (SELECT delay_ms FROM robots_file r WHERE NOT o.ignore_robots AND r.origin = substring(i.url FROM '^https?://[^/?#]+'))) AS "requestDelayMs",
         o.asset_snapshots AS "assetSnapshots", o.auth_enabled AS "authEnabled", o.auth_type AS "authType", o.auth_username AS "authUsername", o.auth_password_sealed AS "authPasswordSealed"
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
