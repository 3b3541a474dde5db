import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("./test-s3-server.mjs", import.meta.url));

/** The pair that the server accepts. */
export const accessKey = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };

/** A real S3 API on a loopback port; `env` makes the product use its bucket "objects". */
export async function startS3(
  names: readonly string[] = [],
): Promise<{ endpoint: string; env: Record<string, string>; close(): Promise<void> }> {
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
