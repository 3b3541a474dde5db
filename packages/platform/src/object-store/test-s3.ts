import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { ensureBucket } from "./bucket-driver.js";
import { parseStorageUrl } from "./storage-url.js";

const program = fileURLToPath(new URL("./test-s3-server.mjs", import.meta.url));

/** The endpoint of an S3 server that runs already (`TEST_S3_ENDPOINT`); AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY hold its key. */
const given = process.env["TEST_S3_ENDPOINT"];

/** The credentials that the server accepts. */
export const accessKey =
  given === undefined
    ? { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" }
    : {
        accessKeyId: process.env["AWS_ACCESS_KEY_ID"] ?? "",
        secretAccessKey: process.env["AWS_SECRET_ACCESS_KEY"] ?? "",
      };

export interface S3Server {
  endpoint: string;
  /** Environment variables that make the product use the bucket "objects". */
  env: Record<string, string>;
  /** Returns the server's bucket for a name in a test: buckets of an existing server outlive the test, so each test process has its own. */
  bucket(name: string): string;
  close(): Promise<void>;
}

/** Starts a real S3 API on a loopback port, with the bucket "objects" and the given ones; or uses the server of `TEST_S3_ENDPOINT`. */
export async function startS3(names: readonly string[] = []): Promise<S3Server> {
  return given === undefined ? startOwn(names) : useGiven(given, ["objects", ...names]);
}

async function useGiven(endpoint: string, names: readonly string[]): Promise<S3Server> {
  const mark = randomUUID().slice(0, 8);
  const bucket = (name: string) => `${mark}-${name}`;
  const url = (name: string, prefix = "") =>
    `s3://${bucket(name)}${prefix}?endpoint=${endpoint}&region=us-east-1&forcePathStyle=true`;
  for (const name of names) {
    const location = parseStorageUrl(url(name));
    if (location.kind === "bucket") await ensureBucket(location, accessKey);
  }
  return {
    endpoint,
    env: {
      STORAGE_URL: url("objects", "/pages"),
      AWS_ACCESS_KEY_ID: accessKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
    },
    bucket,
    close: () => Promise.resolve(),
  };
}

async function startOwn(names: readonly string[]): Promise<S3Server> {
  const folder = await mkdtemp(join(tmpdir(), "web-tester-s3-"));
  const child = spawn(process.execPath, ["--no-warnings", program, folder, "objects", ...names], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const endpoint = `http://127.0.0.1:${await listeningPort(child.stdout)}`;
  return {
    endpoint,
    env: {
      STORAGE_URL: `s3://objects/pages?endpoint=${endpoint}&region=us-east-1&forcePathStyle=true`,
      AWS_ACCESS_KEY_ID: accessKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: accessKey.secretAccessKey,
    },
    bucket: (name) => name,
    async close() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function listeningPort(output: NodeJS.ReadableStream): Promise<number> {
  for await (const line of createInterface({ input: output })) {
    const port = /^listening on 127\.0\.0\.1:(\d+)$/.exec(line)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error("s3rver ended before it listened");
}
