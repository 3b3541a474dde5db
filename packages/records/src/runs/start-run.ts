import type { RunKind } from "@web-tester/contracts/entities/vocabulary";
import type { StartedBy } from "@web-tester/contracts/entities/schedule";
import type { Queryable } from "@web-tester/platform/database/database";
import { rulesNow } from "./run-rules.js";

// the settings of a crawl are copied here: later changes of the object apply from the next crawl on
const insert = `
  INSERT INTO run (test_object_id, kind, total, rules, started_by, started_name)
  SELECT o.id, $2::text, $3::int, CASE WHEN $2::text IN ('crawl', 'sitemaps') THEN ${rulesNow("o")} ELSE $5::jsonb END, $4::text, $6::text FROM test_object o WHERE o.id = $1
  RETURNING id`;

/** How a run was started, and by whom, if there is a name. */
export interface Starter {
  by: StartedBy;
  /** Name of a token, of API_TOKEN or of a person; null: no sign-in is required, or no person started it. */
  name: string | null;
}

export const bySchedule: Starter = { by: "schedule", name: null };
export const byProduct: Starter = { by: "product", name: null };
const bySomebody: Starter = { by: "person", name: null };

/**
 * Inserts a run. Call it with the object locked, and only if no run is in progress that forbids this one.
 * @param by who started it; `path`: the wildcard of the pages to fetch, null for all
 * @returns the id of the run, which is running from now on
 */
export async function insertRun(
  tx: Queryable,
  objectId: string,
  kind: RunKind,
  total: number,
  { by = bySomebody, path = null }: { by?: Starter; path?: string | null } = {},
): Promise<string> {
  const rules = path === null ? null : JSON.stringify({ path });
  const [row] = await tx.query<{ id: string }>(insert, [objectId, kind, total, by.by, rules, by.name]);
  if (row === undefined) throw new Error("INSERT … RETURNING gave no row");
  return row.id;
}
