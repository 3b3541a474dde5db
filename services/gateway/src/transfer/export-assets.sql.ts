import type { Queryable } from "@web-tester/platform/db/database";

export interface ExportedAsset {
  snapshot_id: string;
  url: string;
  base_url: string | null;
  kind: string;
  hash: string | null;
  content_type: string;
  extension: string;
  error: string | null;
}

const select = `
  SELECT snapshot_id, url, base_url, kind, encode(content_hash, 'hex') AS hash, content_type, extension, error
  FROM snapshot_asset WHERE snapshot_id = ANY($1) ORDER BY snapshot_id, id`;

/** Files that the pages of some snapshots need, by snapshot. */
export async function selectExportedAssets(
  db: Queryable,
  snapshotIds: readonly string[],
): Promise<Map<string, Omit<ExportedAsset, "snapshot_id">[]>> {
  const rows = await db.query<ExportedAsset>(select, [snapshotIds]);
  const found = new Map<string, Omit<ExportedAsset, "snapshot_id">[]>();
  for (const { snapshot_id: id, ...asset } of rows) found.set(id, [...(found.get(id) ?? []), asset]);
  return found;
}
