import type { Queryable } from "@web-tester/platform/database/database";

/** One way in which a page changed; `fingerprint` in hex. */
export interface HunkRow {
  snapshotId: string;
  fingerprint: string;
  removed: string;
  added: string;
}

const ofSnapshots = `
  SELECT c.snapshot_id AS "snapshotId", encode(c.fingerprint, 'hex') AS fingerprint, t.removed, t.added
  FROM change_hunk c JOIN hunk_text t ON t.test_object_id = $1 AND t.fingerprint = c.fingerprint WHERE c.snapshot_id = ANY($2)`;

/** Returns the changed places that count of some snapshots of an object. */
export function hunksOf(db: Queryable, objectId: string, snapshotIds: readonly string[]): Promise<HunkRow[]> {
  return db.query<HunkRow>(ofSnapshots, [objectId, snapshotIds]);
}
