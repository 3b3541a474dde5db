import type { SiteAccess } from "@web-tester/loader/authorization";
import type { Queryable } from "@web-tester/platform/database/database";

const select = `
  SELECT id AS "objectId", url AS "objectUrl", auth_enabled AS "authEnabled", auth_type AS "authType", auth_username AS "authUsername",
         auth_password_sealed AS "authPasswordSealed"
  FROM test_object WHERE id = $1`;

/** What a test object says about its site; null where there is no such object. */
export async function selectAccess(db: Queryable, objectId: string): Promise<SiteAccess | null> {
  const [row] = await db.query<SiteAccess>(select, [objectId]);
  return row ?? null;
}
