import { createExcluder } from "@web-tester/urls/exclude";
import { type ExcludeMiss, explainMisses } from "@web-tester/urls/exclude-misses";
import type { Queryable } from "@web-tester/platform/database/database";

const pieceSize = 5_000;
const listed = 100;
const select = `SELECT id, url FROM test_instance WHERE test_object_id = $1 AND url > $2 ORDER BY url LIMIT $3`;

export interface ExcludePreview {
  total: number;
  excluded: number;
  /** The first hundred excluded instances, with the pattern that excludes each. */
  items: { id: string; url: string; pattern: string }[];
  /** Patterns that exclude nothing, and why. */
  misses: ExcludeMiss[];
}

/**
 * Finds the known instances that a pattern list would exclude.
 * @throws AppError invalid_input for patterns that cannot be stored
 */
export async function previewExcludes(
  db: Queryable,
  objectId: string,
  patterns: readonly string[],
): Promise<ExcludePreview> {
  const excluderOf = createExcluder(patterns);
  const preview: ExcludePreview = { total: 0, excluded: 0, items: [], misses: [] };
  const missed = new Set(patterns);
  const known: URL[] = [];
  for (let after = ""; ;) {
    const rows = await db.query<{ id: string; url: string }>(select, [objectId, after, pieceSize]);
    const last = rows.at(-1);
    if (last === undefined) return { ...preview, misses: explainMisses([...missed], known) };
    for (const { id, url } of rows) {
      const address = new URL(url);
      if (known.length < pieceSize) known.push(address);
      const pattern = excluderOf(address);
      if (pattern === null) continue;
      missed.delete(pattern);
      preview.excluded += 1;
      if (preview.items.length < listed) preview.items.push({ id, url, pattern });
    }
    preview.total += rows.length;
    after = last.url;
  }
}
