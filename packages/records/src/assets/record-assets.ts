import type { Queryable } from "@web-tester/platform/database/database";
import { markOneStored } from "../contents/stored-contents.js";
import type { KnownAsset } from "./claim-assets.js";
import { prepared } from "@web-tester/platform/database/statement";

/** The outcome of loading a file. */
export interface LoadedAsset extends KnownAsset {
  /** Bytes that the object store keeps for the file; 0 if it was stored before. */
  storedSize: number;
  etag: string | null;
  lastModified: string | null;
}

// `seen_at` is indexed, so it is written at most once a day: most updates then need no index write (HOT)
const record = prepared(`
  WITH stored AS (
    ${markOneStored("$4", "$5")}
  )
  UPDATE site_asset SET round = $3, claimed_by = NULL, claimed_until = NULL, base_url = $6, content_hash = decode($4, 'hex'), content_type = $7,
         extension = $8, etag = $9, last_modified = $10, error = $11,
         seen_at = CASE WHEN seen_at < now() - interval '1 day' THEN now() ELSE seen_at END
  WHERE test_object_id = $1 AND url = $2`);

/** Records the state of a file in this round, for all workers. Its bytes must have been announced (`touchContent`) and stored before. */
export async function recordAsset(db: Queryable, objectId: string, round: string, asset: LoadedAsset): Promise<void> {
  await db.query(record, [
    objectId,
    asset.url,
    round,
    asset.hash,
    asset.storedSize,
    asset.baseUrl,
    asset.contentType,
    asset.extension,
    asset.etag,
    asset.lastModified,
    asset.error,
  ]);
}
