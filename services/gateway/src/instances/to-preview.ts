import type { Sign } from "../http/actor.js";
import type { TestInstance } from "@web-tester/contracts/entities/instance";
import { renderAddress } from "../assets/asset-address.js";
import type { SnapshotRow } from "../snapshots/select-snapshots.sql.js";
import { shownViewport } from "../snapshots/shown-viewport.js";

/**
 * The newest snapshot that has files of its own, as an address that shows it.
 * @param snapshots newest first
 * @param objectViewport the viewport that is set on their object now
 * @param sign signs the API's addresses
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
