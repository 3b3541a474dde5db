import type { SiteAccess } from "@web-tester/loader/authorization";
import type { SiteVisit } from "@web-tester/contracts/visitor";
import { visitOf } from "@web-tester/records/objects/site-visit";
import type { Queryable } from "@web-tester/platform/database/database";

/** How a test object is let in, and as whom. */
export type ObjectAccess = SiteAccess & { visit: SiteVisit };

const select = `
  SELECT id AS "objectId", url AS "objectUrl", auth_enabled AS "authEnabled", auth_type AS "authType", auth_username AS "authUsername",
         auth_password_sealed AS "authPasswordSealed", ${visitOf("o")} AS visit
  FROM test_object o WHERE id = $1`;

/** What a test object says about its site; null where there is no such object. */
export async function selectAccess(db: Queryable, objectId: string): Promise<ObjectAccess | null> {
  const [row] = await db.query<ObjectAccess>(select, [objectId]);
  return row ?? null;
}
