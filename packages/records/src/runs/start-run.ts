import type { RunKind } from "@web-tester/contracts/entities/vocabulary";
import type { StartedBy } from "@web-tester/contracts/entities/schedule";
import type { Queryable } from "@web-tester/platform/database/database";
import { rulesNow } from "./run-rules.js";

// the settings of a crawl are copied here: later changes of the object count from the next crawl on
const insert = `
  INSERT INTO run (test_object_id, kind, total, rules, started_by, started_name)
  SELECT o.id, $2::text, $3::int, CASE WHEN $2::text IN ('crawl', 'sitemaps') THEN ${rulesNow("o")} ELSE $5::jsonb END, $4::text, $6::text FROM test_object o WHERE o.id = $1
  RETURNING id`;

/** Who begins a run: in what way, and by which name, where there is one. */
export interface Starter {
  by: StartedBy;
  /** Of a token, API_TOKEN or a person; null: nobody was asked for one, or nobody did. */
  name: string | null;
}

export const bySchedule: Starter = { by: "schedule", name: null };
export const byProduct: Starter = { by: "product", name: null };
const bySomebody: Starter = { by: "person", name: null };

/**
 * To be called with the object locked, and when no run is under way that forbids this one.
 * @param by who began it; `path`: the wildcard of the pages that a fetch is of, null for all
 * @returns id of the run, which is running from now on
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
