import type { Queryable } from "@web-tester/platform/database/database";
import type { KeptFile, KeptFiles } from "./changed-files.js";

/** A file of a snapshot. It is served under `hash` (hex) and `extension`, which are null and empty when the file is missing. */
export interface AssetRow {
  id: string;
  /** The list that the file belongs to, which several snapshots may share. */
  list_id: string;
  url: string;
  base_url: string | null;
  kind: string;
  hash: string | null;
  bytes: number;
  content_type: string;
  extension: string;
  error: string | null;
}

const columns = `a.id, a.list_id, a.url, a.base_url, a.kind, encode(a.content_hash, 'hex') AS hash, coalesce(c.size, 0) AS bytes, a.content_type, a.extension, a.error`;

const ofSnapshot = `
  SELECT ${columns} FROM test_snapshot s JOIN snapshot_asset a ON a.list_id = s.files_id LEFT JOIN content c ON c.hash = a.content_hash WHERE s.id = $1 ORDER BY a.id`;
const ofList = `SELECT ${columns} FROM snapshot_asset a LEFT JOIN content c ON c.hash = a.content_hash WHERE a.list_id = $1 ORDER BY a.id`;
const byId = `SELECT ${columns} FROM snapshot_asset a LEFT JOIN content c ON c.hash = a.content_hash WHERE a.id = $1`;
const served = `SELECT 1 FROM snapshot_asset WHERE content_hash = decode($1, 'hex') AND extension = $2 LIMIT 1`;

/** All files of a snapshot, in the order they were found. */
export function selectAssets(db: Queryable, snapshotId: string): Promise<AssetRow[]> {
  return db.query<AssetRow>(ofSnapshot, [snapshotId]);
}

/** All files of a list, in the order they were found. */
export function selectListed(db: Queryable, listId: string): Promise<AssetRow[]> {
  return db.query<AssetRow>(ofList, [listId]);
}

export async function selectAsset(db: Queryable, id: string): Promise<AssetRow | null> {
  const [row] = await db.query<AssetRow>(byId, [id]);
  return row ?? null;
}

/** Returns the files of snapshots for a comparison, by snapshot. */
export async function selectFiles(db: Queryable, snapshotIds: readonly string[]): Promise<Map<string, KeptFiles>> {
  const rows = await db.query<KeptFile & { snapshot_id: string; scripts: KeptFiles["scripts"] }>(
    `SELECT s.id AS snapshot_id, s.taken_with ->> 'scripts' AS scripts, a.url, a.kind, encode(a.content_hash, 'hex') AS hash, a.error
     FROM test_snapshot s JOIN snapshot_asset a ON a.list_id = s.files_id WHERE s.id = ANY($1)`,
    [snapshotIds],
  );
  const bySnapshot = Map.groupBy(rows, (row) => row.snapshot_id);
  return new Map([...bySnapshot].map(([id, files]) => [id, { files, scripts: files[0]?.scripts ?? null }]));
}

/** Whether some snapshot keeps this content as a file of this type. @param hash in hex */
export async function isServedAsset(db: Queryable, hash: string, extension: string): Promise<boolean> {
  return (await db.query(served, [hash, extension])).length > 0;
}
