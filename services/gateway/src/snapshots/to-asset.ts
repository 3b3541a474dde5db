import type { Sign } from "../http/actor.js";
import { type SnapshotAsset, snapshotAsset } from "@web-tester/contracts/entities/snapshot";
import { assetAddress, localPath } from "../assets/asset-address.js";
import type { AssetRow } from "@web-tester/records/assets/snapshot-assets";

/**
 * Converts a row to a snapshot's file.
 * @param sign signs the API's addresses
 */
export function toAsset(row: AssetRow, sign: Sign): SnapshotAsset {
  return {
    id: row.id,
    url: row.url,
    local_path: localPath(row),
    content_type: row.content_type,
    content_len: row.bytes,
    error: row.error,
    kind: snapshotAsset.shape.kind.parse(row.kind),
    address: assetAddress(row, sign),
  };
}
