import type { Sign } from "../http/actor.js";
import type { TestInstance } from "@web-tester/contracts/entities/instance";
import { renderAddress } from "../assets/asset-address.js";
import type { SnapshotRow } from "../snapshots/select-snapshots.sql.js";
import { shownViewport } from "../snapshots/shown-viewport.js";

/**
 * Where the newest page with files of its own is shown.
 * @param snapshots newest first
 * @param objectViewport the window that their object chose now
 * @param sign the API's; null where none is set
 */
export function toPreview(
  snapshots: readonly SnapshotRow[],
  objectViewport: string,
  sign: Sign,
): TestInstance["preview"] {
  const shown = snapshots.find(
    ({ hash, assets_total, assets_missing }) => hash !== null && assets_total > assets_missing,
  );
  return shown === undefined
    ? null
    : {
        snapshot_id: shown.id,
        number: shown.number,
        render: renderAddress(shown.id, sign),
        viewport: shownViewport(shown.taken_with, objectViewport),
      };
}
