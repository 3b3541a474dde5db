import { createHash } from "node:crypto";
import type { ApiToken } from "@web-tester/contracts/entities/access";
import { role, type Role } from "@web-tester/contracts/entities/role";
import type { Queryable } from "@web-tester/platform/database/database";

interface TokenRow {
  id: string;
  name: string;
  role: string;
  made_by: string;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  revoked_at: Date | null;
  revoked_by: string | null;
  /** By the database's clock, which also decides what the token opens. */
  expired: boolean;
}

const columns = `id, name, role, made_by, created_at, expires_at, last_used_at, revoked_at, revoked_by, coalesce(expires_at <= now(), false) AS expired`;

/** Hashes a secret. It has 256 random bits, so a plain hash is enough; and the lookup by hash leaks nothing by its timing. */
export const hashSecret = (secret: string): Buffer => createHash("sha256").update(secret).digest();

function toToken({ expired: isExpired, ...row }: TokenRow): ApiToken {
  return {
    ...row,
    role: role.parse(row.role),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    revoked_at: row.revoked_at?.toISOString() ?? null,
    state: row.revoked_at !== null ? "revoked" : isExpired ? "expired" : "active",
  };
}

/** All tokens, valid ones first, newest first. */
export async function selectTokens(db: Queryable): Promise<ApiToken[]> {
  const rows = await db.query<TokenRow>(
    `SELECT ${columns} FROM api_token ORDER BY revoked_at IS NOT NULL, coalesce(expires_at <= now(), false), id DESC LIMIT 1000`,
  );
  return rows.map(toToken);
}

/** A valid token. */
export interface LiveToken {
  id: string;
  name: string;
  role: Role;
  expiresAt: Date | null;
}

const live = `revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now())`;

/** @returns null when no token has this secret, or it has ended */
export async function findToken(db: Queryable, secret: string): Promise<LiveToken | null> {
  const [row] = await db.query<TokenRow>(`SELECT ${columns} FROM api_token WHERE secret_hash = $1 AND ${live}`, [
    hashSecret(secret),
  ]);
  return row === undefined
    ? null
    : { id: row.id, name: row.name, role: role.parse(row.role), expiresAt: row.expires_at };
}

export async function insertToken(
  tx: Queryable,
  token: { name: string; role: Role; expiresAt: string | null; madeBy: string; secret: string },
): Promise<ApiToken> {
  const [row] = await tx.query<TokenRow>(
    `INSERT INTO api_token (name, role, expires_at, made_by, secret_hash) VALUES ($1, $2, $3, $4, $5) RETURNING ${columns}`,
    [token.name, token.role, token.expiresAt, token.madeBy, hashSecret(token.secret)],
  );
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return toToken(row);
}

/** Revokes a token; revoking it again keeps the first time. @returns null when there is no such token */
export async function revokeToken(tx: Queryable, id: string, by: string): Promise<ApiToken | null> {
  const [row] = await tx.query<TokenRow>(
    `UPDATE api_token SET revoked_at = coalesce(revoked_at, now()), revoked_by = coalesce(revoked_by, $2) WHERE id = $1 RETURNING ${columns}`,
    [id, by],
  );
  return row === undefined ? null : toToken(row);
}

/** Records that a token was used, at most once a minute, so that most reads cost no write. */
export async function touchToken(db: Queryable, id: string): Promise<void> {
  await db.query(
    `UPDATE api_token SET last_used_at = now() WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`,
    [id],
  );
}

/** Locks the table, so that tokens are created and revoked one after the other. */
export async function lockTokens(tx: Queryable): Promise<void> {
  await tx.query(`LOCK TABLE api_token IN SHARE ROW EXCLUSIVE MODE`);
}

/** Counts tokens that were not revoked (expired ones included), and the valid admin tokens among them. */
export async function countTokens(db: Queryable): Promise<{ kept: number; admins: number }> {
  const [row] = await db.query<{ kept: number; admins: number }>(
    `SELECT count(*)::int AS kept, (count(*) FILTER (WHERE role = 'admin' AND ${live}))::int AS admins FROM api_token WHERE revoked_at IS NULL`,
  );
  return row ?? { kept: 0, admins: 0 };
}
