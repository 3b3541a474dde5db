import { signAddress } from "../auth/signed-address.js";
import type { AssetRow } from "@web-tester/records/assets/snapshot-assets";

/** The name that a stored file is served under; null where it is missing. */
export function localPath({ hash, extension }: Pick<AssetRow, "hash" | "extension">): string | null {
  return hash === null ? null : `${hash}.${extension}`;
}

/** Where a browser gets a file as its snapshot shows it. @param token the API's; null where none is set */
export function assetAddress(row: AssetRow, token: string | null): string | null {
  const path = localPath(row);
  if (path === null) return null;
  // what is in a stylesheet depends on where it came from and when
  const address = row.extension === "css" ? `/api/assets/${path}?of=${row.id}` : `/api/assets/${path}`;
  return signAddress(address, token, Date.now());
}

/** Where a snapshot's page is shown. @param preview SHA-256, in hex, of an edited text */
export function renderAddress(snapshotId: string, token: string | null, preview?: string): string {
  const query = preview === undefined ? "" : `?preview=${preview}`;
  return signAddress(`/api/testsnapshots/${snapshotId}/render${query}`, token, Date.now());
}

/** Where a snapshot's page is shown with the words marked that another one lacks. */
export function markedAddress(
  snapshotId: string,
  against: string,
  marks: "added" | "removed",
  token: string | null,
): string {
  const query = new URLSearchParams({ against, marks }).toString();
  return signAddress(`/api/testsnapshots/${snapshotId}/render?${query}`, token, Date.now());
}

/** Where a small picture of a snapshot is. */
export function thumbnailAddress(snapshotId: string, token: string | null): string {
  return signAddress(`/api/testsnapshots/${snapshotId}/thumbnail`, token, Date.now());
}

/** Where a drawn page is. @param sha256 in hex */
export function pictureAddress(sha256: string, token: string | null): string {
  return signAddress(`/api/pictures/${sha256}.png`, token, Date.now());
}
