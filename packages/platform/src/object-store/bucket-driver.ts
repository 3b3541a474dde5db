import { Readable } from "node:stream";
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { AppError } from "@web-tester/contracts/errors";
import { lackOfHandles } from "../lifecycle/lack-of-handles.js";
import { createBucketPresence, installationOf, markerKey, markMaxBytes, markOf } from "./bucket-presence.js";
import { hashOfKey } from "./content-hash.js";
import { errorCode, type ObjectDriver } from "./object-driver.js";
import type { BucketLocation } from "./storage-url.js";

/** Access key for an S3 server. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

const defaultAnswerMs = 30_000;

/**
 * Creates a driver that keeps objects in an S3 bucket; PutObject replaces an object as a whole (Amazon S3 user guide, "Data consistency
 * model"). After `mayBeAway` a bucket that is not marked as the store counts as absent (`createBucketPresence`).
 * @param accessKey default: the SDK's credential chain, `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` first
 * @param answerMs how long the server has to begin an answer, at each of three tries
 */
export function createBucketDriver(
  location: BucketLocation,
  accessKey?: Credentials,
  answerMs = defaultAnswerMs,
): ObjectDriver {
  const { bucket, prefix } = location;
  const client = openClient(location, accessKey, answerMs);
  const start = prefix === "" ? "" : `${prefix}/`;
  const place = (key: string) => ({ Bucket: bucket, Key: `${start}${key}` });
  const translated = <T>(asked: Promise<T>): Promise<T> =>
    asked.catch((error: unknown) => {
      throw unusableBucket(location, error);
    });

  const read = (from: { Bucket: string; Key: string }, maxBytes: number): Promise<Buffer | null> =>
    client
      .send(new GetObjectCommand(from))
      .then(({ Body: body }) => (body instanceof Readable ? readAll(body, maxBytes) : Buffer.alloc(0)))
      .catch(otherwise(hasNoKey, null));

  const presence = createBucketPresence({
    readMark: () =>
      translated(
        read(place(markerKey), markMaxBytes).then((bytes) =>
          bytes === null ? null : { installation: installationOf(bytes) },
        ),
      ),
    writeMark: (installation) => translated(client.send(putting(place(markerKey), markOf(installation))).then(nothing)),
    hasObjects: () => translated(hasObjects(client, bucket, start)),
    place: `${bucket}${start === "" ? "" : `/${prefix}`} at ${location.endpoint ?? "Amazon S3"}`,
  });

  return {
    async put(key, bytes) {
      await presence.use();
      await translated(client.send(putting(place(key), bytes)));
    },
    async get(key, maxBytes) {
      const found = await translated(read(place(key), maxBytes));
      if (found === null) await presence.require();
      return found;
    },
    async has(key) {
      const found = await translated(isThere(client, place(key)));
      if (!found) await presence.require();
      return found;
    },
    async delete(key) {
      await presence.use();
      await translated(client.send(new DeleteObjectCommand(place(key))).catch(otherwise(hasNoKey, undefined)));
    },
    async *list() {
      await presence.require();
      let token: string | undefined;
      do {
        const page = await translated(
          client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: start, ContinuationToken: token })),
        );
        for (const { Key: key = "", Size: size = 0, LastModified: modifiedAt } of page.Contents ?? []) {
          if (modifiedAt !== undefined && key !== `${start}${markerKey}`)
            yield { key: key.slice(start.length), size, modifiedAt };
        }
        token = page.NextContinuationToken;
      } while (token !== undefined);
    },
    mayBeAway: (hasContents) => presence.mayBeAway(hasContents),
    belongsTo: (installation) => presence.belongsTo(installation),
    async check() {
      await translated(client.send(new HeadBucketCommand({ Bucket: bucket })));
      await presence.require();
      await presence.use();
    },
    close: () => client.destroy(),
  };
}

const isThere = (client: S3Client, place: { Bucket: string; Key: string }) =>
  client
    .send(new HeadObjectCommand(place))
    .then(() => true)
    .catch(otherwise(isNotFound, false));

/** Looks into those folders alone whose names are those of objects' folders: a bucket may hold much else. */
async function hasObjects(client: S3Client, bucket: string, start: string): Promise<boolean> {
  let token: string | undefined;
  do {
    const top: ListObjectsV2CommandOutput = await client.send(
      new ListObjectsV2Command({ Bucket: bucket, Prefix: start, Delimiter: "/", ContinuationToken: token }),
    );
    for (const { Prefix: folder = "" } of top.CommonPrefixes ?? []) {
      const name = folder.slice(start.length, -1);
      if (!/^[0-9a-f]{2}$/.test(name)) continue;
      const { Contents: objects = [] } = await client.send(
        new ListObjectsV2Command({ Bucket: bucket, Prefix: `${folder}${name}`, MaxKeys: 1 }),
      );
      if (objects.some(({ Key: key = "" }) => hashOfKey(key.slice(start.length)) !== null)) return true;
    }
    token = top.NextContinuationToken;
  } while (token !== undefined);
  return false;
}

const nothing = () => undefined;
const hasNoKey = (error: unknown) => nameOf(error) === "NoSuchKey";
const isNotFound = (error: unknown) => statusOf(error) === 404;

/** Returns an error handler that answers when something is missing, and rethrows every other error. */
function otherwise<T>(isMissing: (error: unknown) => boolean, answer: T): (error: unknown) => T {
  return (error) => {
    if (isMissing(error)) return answer;
    throw error;
  };
}

function putting(place: { Bucket: string; Key: string }, bytes: Uint8Array): PutObjectCommand {
  return new PutObjectCommand({
    ...place,
    Body: bytes,
    ContentLength: bytes.length,
    ContentType: "application/octet-stream",
  });
}

/**
 * Creates the bucket if it is missing. Safe to call from several processes at once.
 * @returns whether it was missing
 * @throws AppError unavailable when it is missing and cannot be created
 */
export async function ensureBucket(location: BucketLocation, accessKey?: Credentials): Promise<boolean> {
  const client = openClient(location, accessKey);
  try {
    await client.send(new HeadBucketCommand({ Bucket: location.bucket }));
    return false;
  } catch (error) {
    if (statusOf(error) !== 404) throw unusableBucket(location, error);
    await client.send(new CreateBucketCommand({ Bucket: location.bucket })).catch((refusal: unknown) => {
      if (!["BucketAlreadyOwnedByYou", "BucketAlreadyExists"].includes(nameOf(refusal)))
        throw unusableBucket(location, refusal);
    });
    return true;
  } finally {
    client.destroy();
  }
}

function openClient(
  { region, forcePathStyle, endpoint }: BucketLocation,
  accessKey: Credentials | undefined,
  answerMs = defaultAnswerMs,
): S3Client {
  const key = accessKey ?? environmentKey();
  return new S3Client({
    region: region ?? process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"] ?? "us-east-1",
    forcePathStyle,
    maxAttempts: 3,
    // Checksum trailers are specific to Amazon: other servers store them as part of the object.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: 3_000, requestTimeout: answerMs, throwOnRequestTimeout: true },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(key === undefined ? {} : { credentials: key }),
  });
}

/** The credentials of the environment, trimmed like all settings: a secret from a file often ends with a newline. */
function environmentKey(): (Credentials & { sessionToken?: string }) | undefined {
  const [accessKeyId = "", secretAccessKey = "", sessionToken = ""] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
  ].map((name) => process.env[name]?.trim());
  if (accessKeyId === "" || secretAccessKey === "") return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken === "" ? {} : { sessionToken }) };
}

/** Reads a body, but no more than `maxBytes`; leaving the loop early destroys the stream and with it the connection. */
async function readAll(body: Readable, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of body) {
    if (!Buffer.isBuffer(part)) throw new AppError("internal", "The S3 client gave something other than bytes.");
    length += part.length;
    if (length > maxBytes)
      throw new AppError("content_damaged", `A stored object has more than the ${maxBytes} bytes that are allowed.`);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}

const credentials =
  "the server does not accept the credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a valid pair";
const noBucket = "there is no such bucket: create it, or correct STORAGE_URL";
const region = "the bucket is in another region: set the option region in STORAGE_URL";

const remedies: Record<string, string> = {
  InvalidAccessKeyId: credentials,
  SignatureDoesNotMatch: credentials,
  InvalidToken: credentials,
  ExpiredToken: credentials,
  CredentialsProviderError: "no credentials were found: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  AuthorizationHeaderMalformed: region,
  PermanentRedirect: region,
  RequestTimeTooSkewed: "the clocks of this machine and the server differ: set them right",
  NoSuchBucket: noBucket,
};

function unusableBucket({ bucket, endpoint = "Amazon S3" }: BucketLocation, error: unknown): AppError {
  if (error instanceof AppError) return error;
  // a fault of this object alone: a lifecycle rule of the bucket moved it to a storage class that cannot be read
  if (nameOf(error) === "InvalidObjectState")
    return new AppError("content_damaged", "A stored object is archived and cannot be read before it is restored.", {
      cause: error,
    });
  const why = remedies[nameOf(error)] ?? describeStatus(error);
  return new AppError("unavailable", `The object store in bucket ${bucket} at ${endpoint} cannot be used: ${why}.`, {
    cause: error,
  });
}

function describeStatus(error: unknown): string {
  const status = statusOf(error);
  const lack = status === undefined ? lackOfHandles(error) : undefined;
  if (lack !== undefined) return lack;
  if (isTooSlow(error))
    return "the server takes too long to answer: check whether it is overloaded, and the network in between";
  if (status === undefined)
    return `the server cannot be reached (${nameOf(error)}): check the endpoint in STORAGE_URL, and that the server runs`;
  // answers to HEAD requests carry no reason
  if (status === 404) return noBucket;
  if (status === 403)
    return "access is denied: check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and the rights to read, write, list and delete";
  return `the server answers ${status} ${nameOf(error)}: look into its log`;
}

/** Whether the SDK gave up waiting for an answer; where it could not even connect in time, its error has no code, and one of the system another name. */
const isTooSlow = (error: unknown) =>
  error instanceof Error && error.name === "TimeoutError" && errorCode(error) === "ETIMEDOUT";

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

function nameOf(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.name : "unknown error");
}
