import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessKey, type S3Server, startS3 } from "./test-s3.js";
import { createBucketDriver, type Credentials } from "./bucket-driver.js";
import { createFolderDriver } from "./folder-driver.js";
import type { ObjectDriver } from "./object-driver.js";
import { parseStorageUrl } from "./storage-url.js";

/** The stores on which the contract is tested: folders, and buckets of an S3 server that runs for one test file. */
let running: { scratch: string; server: S3Server } | undefined;

export { accessKey };

/** @param names buckets that are needed besides "objects" */
export async function startPlaces(names: readonly string[]): Promise<{ scratch: string }> {
  const scratch = await mkdtemp(join(tmpdir(), "object-store-"));
  running = { scratch, server: await startS3(names) };
  return { scratch };
}

export async function stopPlaces(): Promise<void> {
  if (running === undefined) return;
  await running.server.close();
  await rm(running.scratch, { recursive: true, force: true });
}

export const bucketUrl = (bucket = "objects", prefix = "") =>
  `s3://${running?.server.bucket(bucket)}${prefix}?endpoint=${running?.server.endpoint}&region=us-east-1&forcePathStyle=true`;

const folder = (name: string) => `file:${join(running?.scratch ?? "", name)}`;

/** The same contract holds for every place; `url` returns a separate store for each name. */
export const places = [
  { place: "folder", url: folder, credentials: undefined },
  {
    place: "folder with fsync",
    url: (name: string) => `${folder(`${name}-synced`)}?fsync=true`,
    credentials: undefined,
  },
  { place: "bucket", url: (name: string) => bucketUrl("objects", `/some/prefix/${name}`), credentials: accessKey },
  { place: "bucket without prefix", url: (name: string) => bucketUrl(name), credentials: accessKey },
];

/** Opens the driver below a store, to damage what is stored. */
export function driverAt(url: string, credentials: Credentials | undefined): ObjectDriver {
  const location = parseStorageUrl(url);
  return location.kind === "folder" ? createFolderDriver(location) : createBucketDriver(location, credentials);
}
