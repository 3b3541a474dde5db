import { resolve } from "node:path";
import { AppError } from "@web-tester/contracts/errors";

/** A folder in which objects are kept. */
export interface FolderLocation {
  kind: "folder";
  /** Absolute. */
  path: string;
  /** Whether each write waits until the disk has it: slower, but safe against power cuts. */
  fsync: boolean;
}

/** A bucket in which objects are kept. */
export interface BucketLocation {
  kind: "bucket";
  bucket: string;
  /** Empty, or path segments separated by "/", without one at either end. */
  prefix: string;
  /** Absent: Amazon S3. */
  endpoint?: string;
  region?: string;
  /** Whether the bucket is named in the path of the address instead of its host name; default true when an endpoint is given. */
  forcePathStyle: boolean;
}

/**
 * Parses a storage address: `file:/path?fsync=true` (relative paths start at the working directory) or
 * `s3://bucket/prefix?endpoint=…&region=…&forcePathStyle=true`.
 * @throws AppError invalid_input saying what is wrong and what to write, without repeating the address
 */
export function parseStorageUrl(text: string): FolderLocation | BucketLocation {
  if (text.startsWith("file:")) return parseFolder(text.slice("file:".length));
  if (text.startsWith("s3://")) return parseBucket(text);
  throw refused("it starts with neither file: nor s3://");
}

function parseFolder(rest: string): FolderLocation {
  const [encodedPath = "", query = "", ...more] = rest.split("?");
  const { fsync } = readQuery(new URLSearchParams([query, ...more].join("?")), ["fsync"]);
  // `new URL("file:./data")` would mean /data, so the path is parsed by hand.
  const path = decode(encodedPath.replace(/^\/\/(localhost)?(?=\/)/, ""));
  if (path === "" || path.startsWith("//")) throw refused("it names no folder of this machine");
  if (path.includes("\0")) throw refused("its path contains a NUL character");
  return { kind: "folder", path: resolve(path), fsync: readSwitch("fsync", fsync, false) };
}

function parseBucket(text: string): BucketLocation {
  const matched = /^s3:\/\/([^/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/.exec(text);
  const [, bucket = "", path = "", query = ""] = matched ?? [];
  if (bucket.includes("@"))
    throw refused("credentials do not belong into it; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead");
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    throw refused("its bucket name is not valid (3 to 63 lower-case letters, digits, dots and hyphens)");
  }
  const prefix = decode(path).replace(/^\/|\/$/g, "");
  if (prefix !== "" && !prefix.split("/").every((segment) => /^[\w!*'()-][\w!*'().-]*$/.test(segment))) {
    throw refused(
      "its prefix has an empty segment, one that starts with a dot, or a character other than letters, digits and !-_.*'()",
    );
  }
  const { endpoint, region, forcePathStyle } = readQuery(new URLSearchParams(query), [
    "endpoint",
    "region",
    "forcePathStyle",
  ]);
  if (endpoint !== undefined && !/^https?:\/\/[^/?#@]+\/?$/.test(endpoint)) {
    throw refused("its endpoint is not an address like https://host:port (without path or credentials)");
  }
  if (endpoint !== undefined && !URL.canParse(endpoint))
    throw refused("its endpoint is not an address like https://host:port");
  if (region !== undefined && !/^[\w-]{1,64}$/.test(region))
    throw refused("its region is not a name like eu-central-1");
  return {
    kind: "bucket",
    bucket,
    prefix,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    forcePathStyle: readSwitch("forcePathStyle", forcePathStyle, endpoint !== undefined),
  };
}

function readQuery<Name extends string>(query: URLSearchParams, known: readonly Name[]): Partial<Record<Name, string>> {
  const options: Partial<Record<Name, string>> = {};
  for (const [given, value] of query) {
    const name = known.find((candidate) => candidate === given);
    if (name === undefined) throw refused(`it has an option other than ${known.join(", ")}`);
    if (options[name] !== undefined) throw refused(`it has the option ${name} twice`);
    if (value !== "") options[name] = value;
  }
  return options;
}

function readSwitch(name: string, value: string | undefined, initial: boolean): boolean {
  if (value === undefined) return initial;
  if (value !== "true" && value !== "false") throw refused(`its option ${name} is neither true nor false`);
  return value === "true";
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refused("it contains a % that does not start an escape like %20");
  }
}

function refused(why: string): AppError {
  return new AppError(
    "invalid_input",
    `The storage address is not valid: ${why}. Write file:/path or s3://bucket/prefix?endpoint=https://host&region=name&forcePathStyle=true`,
  );
}
