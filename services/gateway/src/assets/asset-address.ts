import type { Sign } from "../http/actor.js";
import type { AssetRow } from "@web-tester/records/assets/snapshot-assets";

/** The name that a stored file is served under; null where the file could not be stored. */
export function localPath({ hash, extension }: Pick<AssetRow, "hash" | "extension">): string | null {
  return hash === null ? null : `${hash}.${extension}`;
}

/** The address at which a browser loads a stored file the way its snapshot shows it. */
export function assetAddress(row: AssetRow, sign: Sign): string | null {
  const path = localPath(row);
  if (path === null) return null;
  // the stored copies that a stylesheet refers to depend on the address and the snapshot it was fetched for, so its row is named too
  const address = row.extension === "css" ? `/api/assets/${path}?of=${row.id}` : `/api/assets/${path}`;
  return sign(address);
}

/**
 * The address at which a snapshot's page is shown.
 * @param preview SHA-256, in hex, of an edited text
 */
export function renderAddress(snapshotId: string, sign: Sign, preview?: string): string {
  const query = preview === undefined ? "" : `?preview=${preview}`;
  return sign(`/api/testsnapshots/${snapshotId}/render${query}`);
}

/** The address at which a snapshot's page is shown with the words marked that the other snapshot lacks. */
export function markedAddress(snapshotId: string, against: string, marks: "added" | "removed", sign: Sign): string {
  const query = new URLSearchParams({ against, marks }).toString();
  return sign(`/api/testsnapshots/${snapshotId}/render?${query}`);
}

/** The address of a snapshot's thumbnail. */
export function thumbnailAddress(snapshotId: string, sign: Sign): string {
  return sign(`/api/testsnapshots/${snapshotId}/thumbnail`);
}

/**
 * The address of the picture of a drawn page.
 * @param sha256 in hex
 */
export function pictureAddress(sha256: string, sign: Sign): string {
  return sign(`/api/pictures/${sha256}.png`);
}
