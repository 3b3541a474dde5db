import { createHash } from "node:crypto";
import type { ChangedFile } from "@web-tester/contracts/entities/snapshot";
import type { Database } from "@web-tester/platform/database/database";

/** A change with the files that changed with its page. */
interface WithFiles {
  objectId: string;
  /** Null when there are none. */
  files: readonly ChangedFile[] | null;
}

/**
 * Prepares changes for a statement: rows with the digest of their files (hex; null when there are none), and separately the lists of files,
 * each only once per object. Most pages of a site need the same files, and a list for each page would be most of what is kept of a release.
 * @returns the changes, and JSON for `keepChangedFiles`
 */
export function withFileDigests<Change extends WithFiles>(
  changes: readonly Change[],
): [rows: (Omit<Change, "files"> & { filesDigest: string | null })[], lists: string] {
  const lists = new Map<string, { objectId: string; digest: string; files: readonly ChangedFile[] }>();
  const rows = changes.map(({ files, ...change }) => {
    if (files === null) return { ...change, filesDigest: null };
    const digest = createHash("sha256").update(JSON.stringify(files)).digest("hex");
    lists.set(`${change.objectId} ${digest}`, { objectId: change.objectId, digest, files });
    return { ...change, filesDigest: digest };
  });
  return [rows, JSON.stringify([...lists.values()])];
}

/**
 * SQL: a CTE that stores the lists of files. An existing list is marked as in use, once a day, so that it is not collected while the change
 * that refers to it is written.
 * @param lists parameter with the lists of `withFileDigests`
 */
export const keepChangedFiles = (lists: string) => `
  changed_lists AS (
    INSERT INTO changed_files AS t (test_object_id, digest, files)
    SELECT o.id, l.digest, l.files
    FROM (
      SELECT r."objectId", decode(r.digest, 'hex') AS digest, r.files FROM jsonb_to_recordset(${lists}::jsonb) AS r ("objectId" uuid, digest text, files jsonb)
    ) l JOIN test_object o ON o.id = l."objectId"
    WHERE NOT EXISTS (
      SELECT 1 FROM changed_files k WHERE k.test_object_id = o.id AND k.digest = l.digest AND k.named_at > now() - interval '1 day')
    ORDER BY 1, 2
    ON CONFLICT (test_object_id, digest) DO UPDATE SET named_at = now() WHERE t.named_at <= now() - interval '1 day'
  )`;

/**
 * SQL: the files that changed with a page, null when there are none. Changes written by earlier versions hold their files themselves.
 * @param c alias of the change
 */
export const filesOf = (c: string) => `
  coalesce(${c}.files, (SELECT l.files FROM changed_files l WHERE l.test_object_id = ${c}.test_object_id AND l.digest = ${c}.files_digest))`;

/** SQL: whether files changed with a page. @param c alias of the change */
export const hasFiles = (c: string) => `(${c}.files IS NOT NULL OR ${c}.files_digest IS NOT NULL)`;

/** Days for which a list is kept that no change refers to any more. */
const keptDays = 7;

/*
 * No race with new changes: a change that refers to an old list first marks it as in use (`keepChangedFiles`), so the second of the two
 * transactions sees the first.
 */
const collect = `
  WITH old AS (
    SELECT test_object_id, digest FROM changed_files WHERE named_at < now() - make_interval(days => ${keptDays})
  ), used AS MATERIALIZED (
    SELECT DISTINCT c.test_object_id, c.files_digest FROM change c
    WHERE c.test_object_id IN (SELECT test_object_id FROM old) AND c.files_digest IS NOT NULL AND (c.state <> 'done' OR c.kind <> 'unchanged')
  )
  DELETE FROM changed_files t USING old o
  WHERE t.test_object_id = o.test_object_id AND t.digest = o.digest AND t.named_at < now() - make_interval(days => ${keptDays})
    AND NOT EXISTS (SELECT 1 FROM used u WHERE u.test_object_id = o.test_object_id AND u.files_digest = o.digest) RETURNING 1`;

/** Removes lists of files that no change refers to any more. @returns how many lists */
export async function collectChangedFiles(db: Database): Promise<number> {
  return (await db.query(collect, [])).length;
}
