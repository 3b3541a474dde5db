import type { Queryable } from "@web-tester/platform/database/database";

/**
 * SQL: the suffix of `robots_file.origin` for an object that asks its own site with its consent and credentials, so that the answer is not
 * used for others. Objects without credentials share an answer; the digest is over encrypted secrets.
 * @param object alias of `test_object`
 */
export function ownRobots(object: string): string {
  const sealed = `encode(${object}.auth_password_sealed, 'hex')`;
  const credentials = `concat_ws('|', ${object}.auth_type, ${object}.auth_username, ${sealed})`;
  const headers = `encode(${object}.request_headers_sealed, 'hex')`;
  const digest = (text: string) => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`;
  return `' own' || CASE WHEN ${object}.auth_enabled THEN ' ' || ${digest(credentials)} ELSE '' END || coalesce(' ' || ${digest(headers)}, '')`;
}

/** How the problem of a robots.txt begins that could not be read: what it denies is denied by no rule. */
export const robotsUnread = "robots.txt could not be read";

/** An origin's cached robots.txt; `problem` says in words why it could not be read. */
export interface RobotsFile {
  status: number | null;
  body: Buffer;
  problem: string | null;
  /** Milliseconds for which it is still valid. */
  ttlMs: number;
}

const select = `
  SELECT status, body, problem, (extract(epoch FROM expires_at - now()) * 1000)::float8 AS "ttlMs" FROM robots_file WHERE origin = $1 AND expires_at > now()`;

/** @param key an origin (`URL.origin`), with the suffix of `ownRobots` if an object asks its own site @returns null when none is cached that is still valid */
export async function findRobotsFile(db: Queryable, key: string): Promise<RobotsFile | null> {
  const [row] = await db.query<RobotsFile>(select, [key]);
  return row ?? null;
}

const store = `
  INSERT INTO robots_file (origin, status, body, problem, expires_at, delay_ms) VALUES ($1, $2, $3, $4, now() + $5::int * interval '1 ms', $6)
  ON CONFLICT (origin) DO UPDATE SET status = excluded.status, body = excluded.body, problem = excluded.problem, delay_ms = excluded.delay_ms, expires_at = excluded.expires_at`;

/** @param delayMs the pause between two requests that the file asks for */
export async function storeRobotsFile(db: Queryable, key: string, file: RobotsFile, delayMs: number): Promise<void> {
  await db.query(store, [key, file.status, file.body, file.problem, file.ttlMs, delayMs]);
}
