import type { Queryable } from "@web-tester/platform/database/database";

/*
 * SQL: the lock makes two imports of one site at the same time follow one another. NO KEY UPDATE does not block crawlers and fetchers,
 * whose foreign keys lock the row FOR KEY SHARE. Of several objects with one address the one with that name is meant, else the oldest;
 * one that is being deleted only where there is no other, since the site may have been registered again.
 */
const removalOfAll = `SELECT 1 FROM removal w WHERE w.test_object_id = o.id AND w.kind = 'delete-object'`;
const find = `
  SELECT id, name, deleting, auth_enabled AND auth_password_sealed IS NULL AS lacks_secret, request_headers_sealed IS NULL AS lacks_headers, login_sealed IS NULL AS lacks_login
  FROM test_object o WHERE url = $1 AND (name = $2 OR NOT $3) ORDER BY name = $2 DESC, deleting OR EXISTS (${removalOfAll}), id LIMIT 1 FOR NO KEY UPDATE`;

// checked while the object is locked, so that a deletion that began while we waited for the lock is seen too
const emptying = `SELECT 1 FROM run WHERE test_object_id = $1 AND state = 'running' AND kind LIKE 'delete-%' LIMIT 1`;
// also deletions of only some pages: imported snapshots would be added to these pages and soon be deleted with them
const losing = `SELECT 1 FROM removal WHERE test_object_id = $1 LIMIT 1`;

export interface KnownObject {
  id: string;
  name: string;
  deleting: boolean;
  emptying: boolean;
  /** Whether something of it is about to be deleted, which can still be undone. */
  losing: boolean;
  /** Whether its pages need a password that it does not have. */
  lacks_secret: boolean;
  /** Whether no request headers are set for it. */
  lacks_headers: boolean;
  /** Whether no login steps are set for it. */
  lacks_login: boolean;
}

/**
 * Finds and locks the object that an import writes to.
 * @param exactly only an object with that name is meant, since the file has another one with the same address
 */
export async function findObject(
  tx: Queryable,
  url: string,
  name: string,
  exactly: boolean,
): Promise<KnownObject | null> {
  await tx.query(`SELECT pg_advisory_xact_lock(7232, hashtext($1))`, [url]);
  const [row] = await tx.query<Omit<KnownObject, "emptying" | "losing">>(find, [url, name, exactly]);
  if (row === undefined) return null;
  const has = async (sql: string) => (await tx.query(sql, [row.id])).length > 0;
  return { ...row, emptying: await has(emptying), losing: await has(losing) };
}

export async function tagsOf(tx: Queryable, objectId: string): Promise<string[]> {
  const [row] = await tx.query<{ tags: string[] }>(`SELECT tags FROM test_object WHERE id = $1`, [objectId]);
  return row?.tags ?? [];
}
