import type { ChangedFileOfObject } from "@web-tester/contracts/entities/compare";
import type { Queryable } from "@web-tester/platform/database/database";
import { filesOf, hasFiles } from "@web-tester/records/changes/files-of-change";
import { stays } from "@web-tester/records/instances/going";
import { firstIdAt } from "../snapshots/first-id.js";

/*
 * SQL: aggregates what the differ recorded for each change, so that no file and no list of files is read. Of a change with more files
 * than it names, only the named ones are counted.
 */
const changed = `
  WITH changed AS (
    SELECT s.id, s.test_instance_id, c.previous_id, f.*
    FROM change c
    JOIN test_snapshot s ON s.id = c.snapshot_id AND s.created_at >= $3
    CROSS JOIN LATERAL jsonb_to_recordset(${filesOf("c")}) AS f (change text, url text, before_url text, kind text, before text, after text)
    WHERE c.test_object_id = $1 AND c.snapshot_id >= $2 AND c.state = 'done' AND c.kind <> 'unchanged' AND ${hasFiles("c")} AND ${stays("s.test_instance_id")}
  ), grouped AS (
    SELECT change, url, before_url, kind, before, after, count(DISTINCT test_instance_id)::int AS pages,
      (array_agg(id ORDER BY id DESC) FILTER (WHERE previous_id IS NOT NULL))[1] AS sample_id
    FROM changed GROUP BY 1, 2, 3, 4, 5, 6
  )
  SELECT (SELECT count(*)::int FROM grouped) AS total, coalesce((
    SELECT json_agg(p ORDER BY p.pages DESC, p.url) FROM (
      SELECT g.change, g.url, g.before_url, g.kind, g.before, g.after, g.pages, (
        SELECT json_build_object('instance', json_build_object('id', i.id, 'name', i.name, 'url', i.url), 'snapshot_id', c.snapshot_id, 'compared_with', c.previous_id)
        FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id JOIN test_instance i ON i.id = s.test_instance_id
        WHERE c.snapshot_id = g.sample_id) AS sample
      FROM grouped g ORDER BY g.pages DESC, g.url LIMIT $4 OFFSET $5
    ) p
  ), '[]') AS items`;

/** Selects the files of an object's pages that changed since a time; files used by most pages come first. */
export async function selectChangedFiles(
  db: Queryable,
  objectId: string,
  since: Date,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ total: number; items: ChangedFileOfObject[] }> {
  const [found] = await db.query<{ total: number; items: ChangedFileOfObject[] }>(changed, [
    ...[objectId, firstIdAt(since), since],
    ...[limit, offset],
  ]);
  return found ?? { total: 0, items: [] };
}

/** SQL: probes each instance once, in the order of an index, until there are enough. */
const pages = `
  SELECT i.id, i.name, i.url FROM test_instance i
  WHERE i.test_object_id = $1 AND i.removal_id IS NULL AND ($3::text IS NULL OR i.url > $3)
    AND EXISTS (SELECT 1 FROM test_snapshot s JOIN snapshot_asset a ON a.list_id = s.files_id WHERE s.id = i.last_snapshot_id AND a.content_hash = decode($2, 'hex'))
  ORDER BY i.url LIMIT $4`;

/**
 * Selects pages whose newest snapshot uses a file.
 * @param hash in hex
 * @param after the last address of the previous page of the list
 */
export function selectPagesOfFile(
  db: Queryable,
  objectId: string,
  hash: string,
  after: string | null,
  limit: number,
): Promise<{ id: string; name: string; url: string }[]> {
  return db.query(pages, [objectId, hash, after, limit]);
}
