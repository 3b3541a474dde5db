import type { SiteAccess } from "@web-tester/loader/authorization";
import type { SiteVisit } from "@web-tester/contracts/visitor";
import { visitOf } from "@web-tester/records/objects/site-visit";
import type { Queryable } from "@web-tester/platform/database/database";
import type { KeptReadyRule } from "../pure/ready-rule.js";

/** How the product gets access to a test object's site, as which visitor, and how its pages are loaded. */
export type ObjectAccess = SiteAccess & KeptReadyRule & { visit: SiteVisit; fetchMode: string };

const select = `
  SELECT id AS "objectId", url AS "objectUrl", auth_enabled AS "authEnabled", auth_type AS "authType", auth_username AS "authUsername",
         auth_password_sealed AS "authPasswordSealed", fetch_mode AS "fetchMode",
         ready_when AS "readyWhen", ready_selector AS "readySelector", ready_ms AS "readyMs", ${visitOf("o")} AS visit
  FROM test_object o WHERE id = $1`;

/** Returns what a test object says about its site; null where there is no such object. */
export async function selectAccess(db: Queryable, objectId: string): Promise<ObjectAccess | null> {
  const [row] = await db.query<ObjectAccess>(select, [objectId]);
  return row ?? null;
}
