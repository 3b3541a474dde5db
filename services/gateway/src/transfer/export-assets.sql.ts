import type { Queryable } from "@web-tester/platform/database/database";
import type { FinishedAsset } from "@web-tester/records/assets/file-lists";

const select = `
  SELECT s.id AS snapshot_id, a.url, a.base_url, a.kind, encode(a.content_hash, 'hex') AS hash, a.content_type, a.extension, a.error
  FROM test_snapshot s JOIN snapshot_asset a ON a.list_id = s.files_id WHERE s.id = ANY($1) ORDER BY s.id, a.id`;

/** Selects the files that the pages of some snapshots need, by snapshot. */
export async function selectExportedAssets(
  db: Queryable,
  snapshotIds: readonly string[],
): Promise<Map<string, FinishedAsset[]>> {
  const rows = await db.query<FinishedAsset & { snapshot_id: string }>(select, [snapshotIds]);
  const found = new Map<string, FinishedAsset[]>();
  for (const { snapshot_id: id, ...asset } of rows) found.set(id, [...(found.get(id) ?? []), asset]);
  return found;
}
