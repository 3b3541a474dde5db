import { type SettingName, settingNames, settingOf, type SettingValues } from "@web-tester/contracts/object-settings";
import type { Queryable } from "@web-tester/platform/database/database";

/** The fields to change; absent ones stay. `auth_password_sealed: null` removes the secret. */
export type ObjectChanges = { [Name in SettingName]?: SettingValues[Name] | undefined } & {
  name?: string | undefined;
  /** Canonical. */
  url?: string | undefined;
  auth_password_sealed?: Buffer | null | undefined;
  request_headers_sealed?: Buffer | null | undefined;
  request_header_names?: string[] | undefined;
  /** JSON text. */
  login_steps?: string | undefined;
  login_sealed?: Buffer | null | undefined;
};

/** Updates an object; settings have the names of their columns. @returns false when there is no such test object */
export async function updateObject(db: Queryable, id: string, changes: ObjectChanges): Promise<boolean> {
  const set = Object.entries(changes).filter(([, value]) => value !== undefined);
  // not an injection: the names come from the type above, never from a caller
  const columns = set.map(([column], index) => ({ column, value: `$${index + 2}` }));
  const rules = columns.filter(({ column }) => isRetentionRule(column));
  const further = [];
  if (rules.length > 0) {
    const changed = rules.map(({ column, value }) => `${column} IS DISTINCT FROM ${value}`).join(" OR ");
    // changed rules are applied soon, not at the next hourly round
    further.push("retention_checked_at = NULL");
    // a person who changes the rules has seen what an import brought, so the suspension ends; saving a form that sends the same rules again does not end it
    further.push(`retention_waits_until = CASE WHEN ${changed} THEN NULL ELSE retention_waits_until END`);
  }
  const assigned = ["id = id", ...further, ...columns.map(({ column, value }) => `${column} = ${value}`)];
  const rows = await db.query(`UPDATE test_object SET ${assigned.join(", ")} WHERE id = $1 RETURNING id`, [
    id,
    ...set.map(([, value]) => value),
  ]);
  return rows.length > 0;
}

/** Returns the encrypted steps of an object's login; null when it has none. */
export async function selectLogin(db: Queryable, id: string): Promise<Buffer | null> {
  const [row] = await db.query<{ sealed: Buffer | null }>(
    `SELECT login_sealed AS sealed FROM test_object WHERE id = $1`,
    [id],
  );
  return row?.sealed ?? null;
}

const isRetentionRule = (column: string): boolean =>
  settingNames.includes(column as SettingName) && settingOf(column as SettingName).group === "keep";
