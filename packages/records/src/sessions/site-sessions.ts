import type { Queryable } from "@web-tester/platform/database/database";

/** The result of signing in for a round. */
export interface SiteSession {
  version: number;
  /** Encrypted; null when signing in failed. */
  stateSealed: Buffer | null;
  problem: string | null;
}

/** Returns an object's session for a round; null when no worker has signed in for it yet. */
export async function findSession(db: Queryable, objectId: string, round: string): Promise<SiteSession | null> {
  const [row] = await db.query<SiteSession>(
    `SELECT version, state_sealed AS "stateSealed", problem FROM site_session WHERE test_object_id = $1 AND round = $2`,
    [objectId, round],
  );
  return row ?? null;
}

/**
 * Claims the right to sign in for an object.
 * @param claimMs milliseconds after which another worker may try
 * @param expired the version of the session that the site no longer accepts; null when the round has none yet
 * @returns false when another worker is signing in, or signing in is not needed any more
 */
export async function claimSession(
  db: Queryable,
  objectId: string,
  round: string,
  claimMs: number,
  expired: number | null,
): Promise<boolean> {
  const rows = await db.query(
    `INSERT INTO site_session AS s (test_object_id, claimed_until) VALUES ($1, now() + $3::int * interval '1 ms')
     ON CONFLICT (test_object_id) DO UPDATE SET claimed_until = excluded.claimed_until
       WHERE (s.claimed_until IS NULL OR s.claimed_until < now()) AND (s.round IS DISTINCT FROM $2 OR s.version = $4)
     RETURNING 1`,
    [objectId, round, claimMs, expired],
  );
  return rows.length > 0;
}

/** Records the result of signing in. */
export async function recordSession(
  db: Queryable,
  objectId: string,
  round: string,
  { stateSealed, problem }: Pick<SiteSession, "stateSealed" | "problem">,
): Promise<void> {
  await db.query(
    `UPDATE site_session SET round = $2, version = version + 1, state_sealed = $3, problem = $4, claimed_until = NULL WHERE test_object_id = $1`,
    [objectId, round, stateSealed, problem],
  );
}

/** Deletes an object's session, because the way of signing in has changed. */
export async function forgetSession(db: Queryable, objectId: string): Promise<void> {
  await db.query(`DELETE FROM site_session WHERE test_object_id = $1`, [objectId]);
}
