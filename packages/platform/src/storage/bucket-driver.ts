import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { AppError } from "@web-tester/contracts/errors";
import type { ObjectDriver } from "./object-driver.js";
import type { BucketLocation } from "./storage-url.js";

/** Access key for an S3 server. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * A place for bytes in an S3 bucket; PutObject replaces an object as a whole (Amazon S3 user guide, "Data consistency model").
 * @param credentials default: the SDK's usual chain, `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` first
 */
export function createBucketDriver(location: BucketLocation, credentials?: Credentials): ObjectDriver {
  const { bucket, prefix, endpoint, forcePathStyle } = location;
  const client = new S3Client({
    region: location.region ?? process.env["AWS_REGION"] ?? process.env["AWS_DEFAULT_REGION"] ?? "us-east-1",
    forcePathStyle,
    maxAttempts: 3,
    // Checksum trailers are Amazon's: other servers store them as part of the object.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  });
  const start = prefix === "" ? "" : `${prefix}/`;
  const place = (key: string) => ({ Bucket: bucket, Key: `${start}${key}` });
  const unusable = (error: unknown) => unusableBucket(location, error);

  return {
    async put(key, bytes) {
      try {
        await client.send(new PutObjectCommand({ ...place(key), Body: bytes, ContentLength: bytes.length, ContentType: "application/octet-stream" }));
      } catch (error) {
        throw unusable(error);
      }
    },
    async get(key, maxBytes) {
      try {
        const { Body: body, ContentLength: length = 0 } = await client.send(new GetObjectCommand(place(key)));
        if (body === undefined) return Buffer.alloc(0);
        if (length > maxBytes) {
          if ("destroy" in body) body.destroy();
          throw new AppError("content_damaged", `A stored object has ${length} bytes where ${maxBytes} are allowed.`);
        }
        const bytes = await body.transformToByteArray();
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      } catch (error) {
        if (nameOf(error) === "NoSuchKey") return null;
        throw unusable(error);
      }
    },
    async has(key) {
      try {
        await client.send(new HeadObjectCommand(place(key)));
        return true;
      } catch (error) {
        if (statusOf(error) === 404) return false;
        throw unusable(error);
      }
    },
    async delete(key) {
      try {
        await client.send(new DeleteObjectCommand(place(key)));
      } catch (error) {
        if (nameOf(error) !== "NoSuchKey") throw unusable(error);
      }
    },
    async *list() {
      let token: string | undefined;
      do {
        const page = await client
          .send(new ListObjectsV2Command({ Bucket: bucket, Prefix: start, ContinuationToken: token }))
          .catch((error: unknown) => {
            throw unusable(error);
          });
        for (const { Key: key = "", Size: size = 0, LastModified: modifiedAt } of page.Contents ?? []) {
          if (modifiedAt !== undefined) yield { key: key.slice(start.length), size, modifiedAt };
        }
        token = page.NextContinuationToken;
      } while (token !== undefined);
    },
    async check() {
      try {
        await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: start, MaxKeys: 1 }));
      } catch (error) {
        throw unusable(error);
      }
    },
    close: () => client.destroy(),
  };
}

const credentialFaults = new Set([
  "InvalidAccessKeyId",
  "SignatureDoesNotMatch",
  "InvalidToken",
  "ExpiredToken",
  "CredentialsProviderError",
  "AuthorizationHeaderMalformed",
]);

function unusableBucket({ bucket, endpoint = "Amazon S3" }: BucketLocation, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const name = nameOf(error);
  const why = credentialFaults.has(name)
    ? "the server does not accept the credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to a valid pair"
    : statusOf(error) === 403
      ? "access is denied: give the access key the rights to read, write, list and delete"
      : name === "NoSuchBucket"
        ? "there is no such bucket: create it, or correct STORAGE_URL"
        : statusOf(error) === undefined
          ? `the server cannot be reached (${name}): check the endpoint in STORAGE_URL and that the server runs`
          : `the server answers ${statusOf(error)} ${name}`;
  return new AppError("unavailable", `The object store in bucket ${bucket} at ${endpoint} cannot be used: ${why}.`, { cause: error });
}

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

function nameOf(error: unknown): string {
  if (error instanceof Error && "code" in error && typeof error.code === "string") return error.code;
  return error instanceof Error ? error.name : "unknown error";
}
