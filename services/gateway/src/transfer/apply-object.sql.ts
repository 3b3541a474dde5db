import type { Queryable } from "@web-tester/platform/database/database";

/*
 * Two imports of one site at the same time follow one another. NO KEY: crawlers and fetchers, whose foreign keys lock the
 * row FOR KEY SHARE, are not held up. Of several objects with one address the one of that name is meant, else the oldest; one
 * that is being deleted only where there is no other: it may have been registered anew.
 */
const removalOfAll = `SELECT 1 FROM removal w WHERE w.test_object_id = o.id AND w.kind = 'delete-object'`;
const find = `
  SELECT id, name, deleting, auth_enabled AND auth_password_sealed IS NULL AS lacks_secret, request_headers_sealed IS NULL AS lacks_headers, login_sealed IS NULL AS lacks_login
  FROM test_object o WHERE url = $1 AND (name = $2 OR NOT $3) ORDER BY name = $2 DESC, deleting OR EXISTS (${removalOfAll}), id LIMIT 1 FOR NO KEY UPDATE`;

// asked with the object locked: a deletion that began while we waited for it is seen too
const emptying = `SELECT 1 FROM run WHERE test_object_id = $1 AND state = 'running' AND kind LIKE 'delete-%' LIMIT 1`;
// also of some pages: what the file says of them would be found there, and go with them in a moment
const losing = `SELECT 1 FROM removal WHERE test_object_id = $1 LIMIT 1`;

export interface KnownObject {
  id: string;
  name: string;
  deleting: boolean;
  emptying: boolean;
  /** Something of it is about to be deleted, which can still be undone. */
  losing: boolean;
  /** Its pages are to be asked for with a secret that it does not have. */
  lacks_secret: boolean;
  /** Its requests carry no headers of their own. */
  lacks_headers: boolean;
  /** Nobody has said how to sign in at the site. */
  lacks_login: boolean;
}

/** @param exactly only an object of that name is meant, since the file has another one of the same address */
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
