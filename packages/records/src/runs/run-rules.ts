import { settingNames, settingOf } from "@web-tester/contracts/object-settings";
import type { Queryable } from "@web-tester/platform/database/database";

/** The settings of a test object that a crawl or sitemap crawl keeps from its beginning to its end. */
const settings = settingNames.filter((name) => settingOf(name).heldByRun === true);

/** SQL: the value of `run.rules` when a run is started. @param object alias of `test_object` */
export function rulesNow(object: string): string {
  return `jsonb_build_object(${settings.map((name) => `'${name}', ${object}.${name}`).join(", ")})`;
}

/**
 * SQL: a test object's row as a run sees it: with the settings that the run began with, and everything else (credentials, the pause between
 * requests) as it is now. A run without rules, started by an earlier version, sees everything as it is now.
 */
export function objectOfRun(run: string, object: string): string {
  return `jsonb_populate_record(${object}, coalesce(${run}.rules, '{}'))`;
}

// the crawl may have begun with other patterns than the object has now
const excludeMore = `
  UPDATE run SET rules = coalesce(rules, '{}') || jsonb_build_object('exclude_list', (
    SELECT coalesce(jsonb_agg(DISTINCT pattern), '[]') FROM (
      SELECT jsonb_array_elements_text(coalesce(run.rules -> 'exclude_list', to_jsonb(o.exclude_list))) AS pattern
      UNION SELECT unnest($2::text[])
    ) AS every
  ))
  FROM test_object o
  WHERE run.id = $1 AND o.id = run.test_object_id AND run.kind = 'crawl' AND run.state = 'running'
  RETURNING run.id`;

/**
 * Adds exclude patterns to a running crawl: queued addresses that match are not visited any more. Call it with the object locked.
 * @returns false when the run is no crawl, or is over
 */
export async function excludeFromNowOn(tx: Queryable, runId: string, patterns: readonly string[]): Promise<boolean> {
  return (await tx.query(excludeMore, [runId, patterns])).length > 0;
}
