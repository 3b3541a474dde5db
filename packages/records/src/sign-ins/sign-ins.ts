import { role as roleOf, type Role } from "@web-tester/contracts/entities/role";
import type { Queryable } from "@web-tester/platform/database/database";
import { hashSecret } from "../tokens/tokens.js";

/** How a browser signed in. `rootMark`: a keyed hash of API_TOKEN. */
export type SignInBy = { tokenId: string } | { rootMark: Buffer } | { role: Role; personId: string };

/** A valid sign-in. */
export interface LiveSignIn {
  id: string;
  tokenId: string | null;
  personId: string | null;
  rootMark: Buffer | null;
  name: string;
  /** null: the rights of API_TOKEN. */
  role: Role | null;
  expiresAt: Date;
}

export async function insertSignIn(
  tx: Queryable,
  { by, name, secret, until }: { by: SignInBy; name: string; secret: string; until: Date },
): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    `INSERT INTO sign_in (secret_hash, token_id, root_mark, role, person_id, name, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
    [
      hashSecret(secret),
      "tokenId" in by ? by.tokenId : null,
      "rootMark" in by ? by.rootMark : null,
      "role" in by ? by.role : null,
      "role" in by ? by.personId : null,
      name,
      until,
    ],
  );
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return row.id;
}

const select = `
  SELECT s.id, s.token_id, s.person_id, s.root_mark, coalesce(t.name, s.name) AS name, coalesce(t.role, s.role) AS role, least(s.expires_at, t.expires_at) AS expires_at
  FROM sign_in s LEFT JOIN api_token t ON t.id = s.token_id
  WHERE s.expires_at > now() AND (s.token_id IS NULL OR (t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())))`;

interface SignInRow {
  id: string;
  token_id: string | null;
  person_id: string | null;
  root_mark: Buffer | null;
  name: string;
  role: string | null;
  expires_at: Date;
}

const toSignIn = (row: SignInRow): LiveSignIn => ({
  id: row.id,
  tokenId: row.token_id,
  personId: row.person_id,
  rootMark: row.root_mark,
  name: row.name,
  role: row.role === null ? null : roleOf.parse(row.role),
  expiresAt: row.expires_at,
});

/** @returns null when there is none, or it or its token has ended */
export async function findSignIn(db: Queryable, secret: string): Promise<LiveSignIn | null> {
  const [row] = await db.query<SignInRow>(`${select} AND s.secret_hash = $1`, [hashSecret(secret)]);
  return row === undefined ? null : toSignIn(row);
}

/** @returns null when there was none */
export async function deleteSignIn(tx: Queryable, secret: string): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(`DELETE FROM sign_in WHERE secret_hash = $1 RETURNING id`, [
    hashSecret(secret),
  ]);
  return row?.id ?? null;
}

const deleteAll = `
  DELETE FROM sign_in s USING sign_in own
  WHERE own.secret_hash = $1 AND (s.id = own.id OR (own.expires_at > now() AND (
    s.token_id = own.token_id OR s.person_id = own.person_id OR s.root_mark = own.root_mark)))
  RETURNING s.id`;

/** Deletes a sign-in and all others of the same person, of the same token, or with API_TOKEN. @returns their ids */
export async function deleteSignIns(tx: Queryable, secret: string): Promise<string[]> {
  return (await tx.query<{ id: string }>(deleteAll, [hashSecret(secret)])).map(({ id }) => id);
}

/** Deletes sign-ins that have ended, a thousand at a time. */
export async function forgetSignIns(db: Queryable): Promise<void> {
  await db.query(
    `DELETE FROM sign_in WHERE id IN (SELECT id FROM sign_in WHERE expires_at < now() ORDER BY expires_at LIMIT 1000)`,
  );
}

/**
 * Returns those of the given tokens, sign-ins and share links that are still valid.
 * @param ids ids of all three kinds, which need not be distinguished
 */
export async function selectLive(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    `SELECT id FROM api_token WHERE id = ANY($1) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())
     UNION ALL SELECT x.id FROM (${select}) x WHERE x.id = ANY($1)
     UNION ALL SELECT id FROM share_link WHERE id = ANY($1) AND revoked_at IS NULL AND expires_at > now()`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}
