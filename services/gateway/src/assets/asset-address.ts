import type { Sign } from "../http/actor.js";
import type { AssetRow } from "@web-tester/records/assets/snapshot-assets";

/** The name that a stored file is served under; null where it is missing. */
export function localPath({ hash, extension }: Pick<AssetRow, "hash" | "extension">): string | null {
  return hash === null ? null : `${hash}.${extension}`;
}

/** Where a browser gets a file as its snapshot shows it. */
export function assetAddress(row: AssetRow, sign: Sign): string | null {
  const path = localPath(row);
  if (path === null) return null;
  // what is in a stylesheet depends on where it came from and when
  const address = row.extension === "css" ? `/api/assets/${path}?of=${row.id}` : `/api/assets/${path}`;
  return sign(address);
}

/** Where a snapshot's page is shown. @param preview SHA-256, in hex, of an edited text */
export function renderAddress(snapshotId: string, sign: Sign, preview?: string): string {
  const query = preview === undefined ? "" : `?preview=${preview}`;
  return sign(`/api/testsnapshots/${snapshotId}/render${query}`);
}

/** Where a snapshot's page is shown with the words marked that another one lacks. */
export function markedAddress(snapshotId: string, against: string, marks: "added" | "removed", sign: Sign): string {
  const query = new URLSearchParams({ against, marks }).toString();
  return sign(`/api/testsnapshots/${snapshotId}/render?${query}`);
}

/** Where a small picture of a snapshot is. */
export function thumbnailAddress(snapshotId: string, sign: Sign): string {
  return sign(`/api/testsnapshots/${snapshotId}/thumbnail`);
}

/** Where a drawn page is. @param sha256 in hex */
export function pictureAddress(sha256: string, sign: Sign): string {
  return sign(`/api/pictures/${sha256}.png`);
}
