import type { Queryable } from "@web-tester/platform/database/database";

/** What came of signing in for a round. */
export interface SiteSession {
  version: number;
  /** Encrypted; null where it failed. */
  stateSealed: Buffer | null;
  problem: string | null;
}

/** The session of an object for a round; null where nobody has signed in for that yet. */
export async function findSession(db: Queryable, objectId: string, round: string): Promise<SiteSession | null> {
  const [row] = await db.query<SiteSession>(
    `SELECT version, state_sealed AS "stateSealed", problem FROM site_session WHERE test_object_id = $1 AND round = $2`,
    [objectId, round],
  );
  return row ?? null;
}

/**
 * Takes it on oneself to sign in for an object.
 * @param claimMs after so long another one may try
 * @param expired the version that the site no longer knows; null where there is none for the round
 * @returns whether nobody else is at it, and it still has to be done
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

/** Records what came of it. */
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

/** Forgets an object's session, as the way to sign in changed. */
export async function forgetSession(db: Queryable, objectId: string): Promise<void> {
  await db.query(`DELETE FROM site_session WHERE test_object_id = $1`, [objectId]);
}
