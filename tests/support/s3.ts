import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A real S3 API on a loopback port; `env` makes the product use it. */
export async function startS3(): Promise<{ env: Record<string, string>; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "web-tester-s3-"));
  const program = createRequire(import.meta.url).resolve("s3rver/bin/s3rver.js");
  const child = spawn(
    process.execPath,
    [program, "-s", "-a", "127.0.0.1", "-p", "0", "-d", folder, "--configure-bucket", "objects"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const port = await listeningPort(child.stdout);
  return {
    env: {
      STORAGE_URL: `s3://objects/pages?endpoint=http://127.0.0.1:${port}&region=us-east-1&forcePathStyle=true`,
      // the pair that s3rver accepts
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
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
    const port = /:(\d+)\D*$/.exec(line)?.[1];
    if (/listening/i.test(line) && port !== undefined) return Number(port);
  }
  throw new Error("s3rver ended before it listened");
}
