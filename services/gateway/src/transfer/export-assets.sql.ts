import type { Queryable } from "@web-tester/platform/database/database";
import type { FinishedAsset } from "@web-tester/records/assets/file-lists";

const select = `
  SELECT s.id AS snapshot_id, a.url, a.base_url, a.kind, encode(a.content_hash, 'hex') AS hash, a.content_type, a.extension, a.error,
    coalesce(c.size, 0) AS size
  FROM test_snapshot s JOIN snapshot_asset a ON a.list_id = s.files_id LEFT JOIN content c ON c.hash = a.content_hash WHERE s.id = ANY($1) ORDER BY s.id, a.id`;

/** A file that a page needs; `size` of its content in bytes, 0 without one. */
export type ExportedAsset = FinishedAsset & { size: number };

/** Selects the files that the pages of some snapshots need, by snapshot. */
export async function selectExportedAssets(
  db: Queryable,
  snapshotIds: readonly string[],
): Promise<Map<string, ExportedAsset[]>> {
  const rows = await db.query<ExportedAsset & { snapshot_id: string }>(select, [snapshotIds]);
  const found = new Map<string, ExportedAsset[]>();
  for (const { snapshot_id: id, ...asset } of rows) found.set(id, [...(found.get(id) ?? []), asset]);
  return found;
}
