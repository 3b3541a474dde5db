import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { createBucketDriver, type Credentials } from "./bucket-driver.js";
import { createFolderDriver } from "./folder-driver.js";
import type { ObjectDriver } from "./object-driver.js";
import { parseStorageUrl } from "./storage-url.js";

/** The places on which the store's contract is tested: folders, and buckets of an S3 server that runs for one test file. */
let running: { scratch: string; child: ChildProcess; endpoint: string } | undefined;

/** The pair that s3rver accepts. */
export const accessKey: Credentials = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };

/** @param names buckets that are needed beside "objects" */
export async function startPlaces(names: readonly string[]): Promise<{ scratch: string }> {
  const scratch = await mkdtemp(join(tmpdir(), "object-store-"));
  running = { scratch, ...(await startS3(join(scratch, "s3"), ["objects", ...names])) };
  return { scratch };
}

export async function stopPlaces(): Promise<void> {
  if (running === undefined) return;
  running.child.kill();
  await once(running.child, "exit");
  await rm(running.scratch, { recursive: true, force: true });
}

export const bucketUrl = (bucket = "objects", prefix = "") =>
  `s3://${bucket}${prefix}?endpoint=${running?.endpoint}&region=us-east-1&forcePathStyle=true`;

const folder = (name: string) => `file:${join(running?.scratch ?? "", name)}`;

/** The same contract holds for every place; `url` gives a place of its own per name. */
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

/** The place below a store, to damage what is stored. */
export function driverAt(url: string, credentials: Credentials | undefined): ObjectDriver {
  const location = parseStorageUrl(url);
  return location.kind === "folder" ? createFolderDriver(location) : createBucketDriver(location, credentials);
}

async function startS3(root: string, buckets: readonly string[]): Promise<{ child: ChildProcess; endpoint: string }> {
  const program = createRequire(import.meta.url).resolve("s3rver/bin/s3rver.js");
  const args = [
    "-s",
    "-a",
    "127.0.0.1",
    "-p",
    "0",
    "-d",
    root,
    ...buckets.flatMap((bucket) => ["--configure-bucket", bucket]),
  ];
  const child = spawn(process.execPath, ["--no-warnings", program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /listening on 127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) return { child, endpoint: `http://127.0.0.1:${port}` };
  }
  throw new Error("s3rver ended before it listened");
}
