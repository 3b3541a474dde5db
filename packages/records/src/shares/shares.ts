import { type ShareKind, shareKind, type ShareLink } from "@web-tester/contracts/entities/access";
import type { Queryable } from "@web-tester/platform/database/database";
import { hashSecret } from "../tokens/tokens.js";

/** What a link shows; its kind tells which of the ids are set. */
export interface SharedOf {
  kind: ShareKind;
  runId: string | null;
  snapshotId: string | null;
  otherId: string | null;
}

/** A valid share link. */
export interface LiveShare extends SharedOf {
  id: string;
  objectId: string;
  madeBy: string;
  expiresAt: Date;
  /** Whether something that it shows no longer exists. */
  isGone: boolean;
}

interface ShareRow {
  id: string;
  kind: string;
  test_object_id: string;
  run_id: string | null;
  snapshot_id: string | null;
  other_id: string | null;
  made_by: string;
  maker_id: string | null;
  note: string;
  created_at: Date;
  expires_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
  /** By the database's clock, which also decides what the link opens. */
  expired: boolean;
  gone: boolean;
}

const columns = `id, kind, test_object_id, run_id, snapshot_id, other_id, made_by, maker_id, note, created_at, expires_at, last_used_at, revoked_at,
  expires_at <= now() AS expired,
  (run_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM run r WHERE r.id = share_link.run_id))
  OR (snapshot_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM test_snapshot s WHERE s.id = share_link.snapshot_id))
  OR (other_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM test_snapshot s WHERE s.id = share_link.other_id)) AS gone`;
const live = `revoked_at IS NULL AND expires_at > now()`;

function toLive(row: ShareRow): LiveShare {
  return {
    id: row.id,
    kind: shareKind.parse(row.kind),
    objectId: row.test_object_id,
    runId: row.run_id,
    snapshotId: row.snapshot_id,
    otherId: row.other_id,
    madeBy: row.made_by,
    expiresAt: row.expires_at,
    isGone: row.gone,
  };
}

/** @param asker id of the token or sign-in of the caller; null: no sign-in is required */
function toLink(
  { maker_id: maker, test_object_id: testobjectId, gone: isGone, expired: isExpired, ...row }: ShareRow,
  asker: string | null,
): ShareLink {
  return {
    ...row,
    kind: shareKind.parse(row.kind),
    testobject_id: testobjectId,
    own: maker === asker,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    state: row.revoked_at !== null ? "revoked" : isExpired ? "expired" : isGone ? "gone" : "active",
  };
}

/** @returns null when no link has this secret, or it has ended */
export async function findShare(db: Queryable, secret: string): Promise<LiveShare | null> {
  const [row] = await db.query<ShareRow>(`SELECT ${columns} FROM share_link WHERE secret_hash = $1 AND ${live}`, [
    hashSecret(secret),
  ]);
  return row === undefined ? null : toLive(row);
}

/** A link that has ended, and since when. */
export interface EndedShare {
  reason: "expired" | "revoked";
  at: Date;
}

/** @returns null when no link has this secret, or it has not ended */
export async function findEndedShare(db: Queryable, secret: string): Promise<EndedShare | null> {
  const [row] = await db.query<ShareRow>(`SELECT ${columns} FROM share_link WHERE secret_hash = $1 AND NOT (${live})`, [
    hashSecret(secret),
  ]);
  if (row === undefined) return null;
  return row.revoked_at === null
    ? { reason: "expired", at: row.expires_at }
    : { reason: "revoked", at: row.revoked_at };
}

export async function insertShare(
  tx: Queryable,
  share: SharedOf & {
    objectId: string;
    secret: string;
    madeBy: string;
    makerId: string | null;
    note: string;
    hours: number;
  },
): Promise<ShareLink> {
  const [row] = await tx.query<ShareRow>(
    `INSERT INTO share_link (kind, test_object_id, run_id, snapshot_id, other_id, secret_hash, made_by, maker_id, note, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, now() + $10 * interval '1 hour') RETURNING ${columns}`,
    [
      share.kind,
      share.objectId,
      share.runId,
      share.snapshotId,
      share.otherId,
      hashSecret(share.secret),
      share.madeBy,
      share.makerId,
      share.note,
      share.hours,
    ],
  );
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return toLink(row, share.makerId);
}

/** Lists links, newest first; null in the filter matches any. */
export async function selectShares(
  db: Queryable,
  filter: { objectId: string | null } & { [key in keyof SharedOf]: SharedOf[key] | null },
  asker: string | null,
): Promise<ShareLink[]> {
  const rows = await db.query<ShareRow>(
    `SELECT ${columns} FROM share_link WHERE ($1::uuid IS NULL OR test_object_id = $1) AND ($2::text IS NULL OR kind = $2)
       AND ($3::uuid IS NULL OR run_id = $3) AND ($4::uuid IS NULL OR snapshot_id = $4) AND ($5::uuid IS NULL OR other_id = $5)
     ORDER BY id DESC LIMIT 500`,
    [filter.objectId, filter.kind, filter.runId, filter.snapshotId, filter.otherId],
  );
  return rows.map((row) => toLink(row, asker));
}

/** Revokes a link. @param onlyOwn whether the link must have been made by `asker` @returns null when there is no such link */
export async function revokeShare(
  tx: Queryable,
  id: string,
  by: string,
  asker: string | null,
  onlyOwn: boolean,
): Promise<ShareLink | null> {
  const [row] = await tx.query<ShareRow>(
    `UPDATE share_link SET revoked_at = coalesce(revoked_at, now()), revoked_by = coalesce(revoked_by, $2)
     WHERE id = $1 AND (NOT $3 OR maker_id IS NOT DISTINCT FROM $4::uuid) RETURNING ${columns}`,
    [id, by, onlyOwn, asker],
  );
  return row === undefined ? null : toLink(row, asker);
}

/** Records that a link was used, at most once a minute. */
export async function touchShare(db: Queryable, id: string): Promise<void> {
  await db.query(
    `UPDATE share_link SET last_used_at = now() WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
    [id],
  );
}

/** Whether a run compares these two snapshots, so that its review shows them side by side. */
export async function isPairOfRun(db: Queryable, runId: string, a: string, b: string): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1 FROM test_snapshot s JOIN change c ON c.snapshot_id = s.id WHERE s.run_id = $1 AND s.id = $3 AND c.previous_id = $2
     UNION ALL SELECT 1 FROM compared_page p WHERE p.run_id = $1 AND p.one_id = $2 AND p.other_id = $3 LIMIT 1`,
    [runId, a, b],
  );
  return rows.length > 0;
}

/** Whether a snapshot is on either side of a run's comparisons. */
export async function isSideOfRun(db: Queryable, runId: string, snapshotId: string): Promise<boolean> {
  const rows = await db.query(
    `SELECT 1 FROM test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id WHERE s.run_id = $1 AND (s.id = $2 OR c.previous_id = $2)
     UNION ALL SELECT 1 FROM compared_page p WHERE p.run_id = $1 AND (p.one_id = $2 OR p.other_id = $2) LIMIT 1`,
    [runId, snapshotId],
  );
  return rows.length > 0;
}
