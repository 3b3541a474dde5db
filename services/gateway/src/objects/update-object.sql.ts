import type { Queryable } from "@web-tester/platform/database/database";

/** Columns to change; what is left out stays. `auth_password_sealed: null` removes the secret. */
export interface ObjectChanges {
  name?: string | undefined;
  auth_enabled?: boolean | undefined;
  auth_type?: string | undefined;
  auth_username?: string | undefined;
  auth_password_sealed?: Buffer | null | undefined;
  asset_snapshots?: boolean | undefined;
  fetch_mode?: string | undefined;
  exclude_list?: string[] | undefined;
  sitemaps?: string[] | undefined;
  ignore_robots?: boolean | undefined;
  request_delay_ms?: number | undefined;
  scope?: string | undefined;
  scope_prefixes?: string[] | undefined;
  drop_params?: string[] | undefined;
  crawl_pages_max?: number | undefined;
  crawl_depth_max?: number | undefined;
  crawl_minutes_max?: number | undefined;
  crawl_mib_max?: number | undefined;
  keep_days?: number | null | undefined;
  keep_snapshots?: number | null | undefined;
  keep_changed_only?: boolean | undefined;
}

/** @returns false where there is no such test object */
export async function updateObject(db: Queryable, id: string, changes: ObjectChanges): Promise<boolean> {
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  // other rules for what is kept are applied soon, not when the next hour has passed
  const trims = set.some(([column]) => column.startsWith("keep_")) ? ["retention_checked_at = NULL"] : [];
  // names come from the interface above, never from a caller
  const columns = set.map(([column], index) => `${column} = $${index + 2}`);
  // who changes the rules has seen what an import brought; the form sends them with every other option too
  const changed = columns
    .filter((column) => column.startsWith("keep_"))
    .map((column) => column.replace(" = ", " IS DISTINCT FROM "));
  if (changed.length > 0)
    trims.push(`retention_waits_until = CASE WHEN ${changed.join(" OR ")} THEN NULL ELSE retention_waits_until END`);
  const rows = await db.query(
    `UPDATE test_object SET ${["id = id", ...trims, ...columns].join(", ")} WHERE id = $1 RETURNING id`,
    [id, ...set.map(([, value]) => value)],
  );
  return rows.length > 0;
}
