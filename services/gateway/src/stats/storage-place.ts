import { parseStorageUrl } from "@web-tester/platform/object-store/storage-url";

/** Describes where objects are stored, without secrets: the folder's path, or the bucket's address. */
export function storagePlace(storageUrl: string): string {
  const location = parseStorageUrl(storageUrl);
  return location.kind === "folder"
    ? location.path
    : `s3://${location.bucket}${location.prefix === "" ? "" : `/${location.prefix}`}`;
}
