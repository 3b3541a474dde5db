import type { Queryable } from "@web-tester/platform/database/database";
import type { FinishedAsset } from "@web-tester/records/snapshots/finish-snapshots";

const select = `
  SELECT snapshot_id, url, base_url, kind, encode(content_hash, 'hex') AS hash, content_type, extension, error
  FROM snapshot_asset WHERE snapshot_id = ANY($1) ORDER BY snapshot_id, id`;

/** Files that the pages of some snapshots need, by snapshot. */
export async function selectExportedAssets(
  db: Queryable,
  snapshotIds: readonly string[],
): Promise<Map<string, FinishedAsset[]>> {
  const rows = await db.query<FinishedAsset & { snapshot_id: string }>(select, [snapshotIds]);
  const found = new Map<string, FinishedAsset[]>();
  for (const { snapshot_id: id, ...asset } of rows) found.set(id, [...(found.get(id) ?? []), asset]);
  return found;
}
