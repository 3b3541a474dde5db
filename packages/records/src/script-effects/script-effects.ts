import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";

/** The result of a load in a browser with some scripts; all digests are SHA-256. */
export interface ScriptTry {
  scripts: Buffer;
  /** The empty places of the page, each on its own, and `page` for all of them together. */
  places: readonly Buffer[];
  page: Buffer;
  builds: boolean;
}

/** What is known about one place (`builds` false), or about all places of a page (`builds` true), and how old that is. */
export interface KnownEffect {
  what: Buffer;
  builds: boolean;
  ageMs: number;
}

const kept = prepared(`
  SELECT what, builds, (extract(epoch FROM now() - seen_at) * 1000)::float8 AS "ageMs" FROM script_effect
  WHERE test_object_id = $1 AND scripts = $2 AND what = ANY($3) AND seen_at > now() - $4 * interval '1 millisecond'`);

/** Returns what is known about some places of pages with these scripts, if it is not too old. */
export function selectScriptEffects(
  db: Queryable,
  objectId: string,
  { scripts, whats, maxAgeMs }: { scripts: Buffer; whats: readonly Buffer[]; maxAgeMs: number },
): Promise<KnownEffect[]> {
  return db.query<KnownEffect>(kept, [objectId, scripts, whats, maxAgeMs]);
}

/*
 * Places of a page that scripts fill are no longer known as ones left empty, and a page that they do not fill no longer as a filled one.
 * Rows that are too old are deleted. Rows are written in one order, so that no two statements deadlock; nothing is stored for an object
 * that is already deleted.
 */
const keep = prepared(`
  WITH gone AS (
    DELETE FROM script_effect
    WHERE test_object_id = $1 AND (seen_at < now() - $6 * interval '1 millisecond' OR (scripts = $2 AND (what = $4 OR $5 AND what = ANY($3))))
  )
  INSERT INTO script_effect (test_object_id, scripts, what, builds)
  SELECT o.id, $2, w.what, $5 FROM test_object o CROSS JOIN unnest(CASE WHEN $5 THEN ARRAY[$4::bytea] ELSE $3::bytea[] END) AS w (what)
  WHERE o.id = $1 ORDER BY w.what
  ON CONFLICT (test_object_id, scripts, what) DO UPDATE SET builds = excluded.builds, seen_at = excluded.seen_at`);

/** @param maxAgeMs rows older than this are deleted */
export async function keepScriptEffect(
  db: Queryable,
  objectId: string,
  { scripts, places, page, builds }: ScriptTry,
  maxAgeMs: number,
): Promise<void> {
  await db.query(keep, [objectId, scripts, places, page, builds, maxAgeMs]);
}
