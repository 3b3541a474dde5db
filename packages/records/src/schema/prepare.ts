import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { migrate } from "./data-source.js";
import { ensureBucket } from "@web-tester/platform/object-store/bucket-driver";
import { parseStorageUrl } from "@web-tester/platform/object-store/storage-url";

/**
 * Command: prepares everything that the services need, then ends; idempotent. Applies the migrations that the database of `DATABASE_URL`
 * lacks; creates the bucket of `STORAGE_URL`, if it is a bucket and missing; creates the file of `SECRET_KEY_FILE` with a new key, if the
 * variable is set and the file is missing.
 */
async function main(): Promise<void> {
  const { DATABASE_URL: databaseUrl, STORAGE_URL: storageUrl, SECRET_KEY_FILE: keyFile, SECRET_KEY: key } = process.env;
  if (!databaseUrl)
    throw new Error("Set DATABASE_URL to a PostgreSQL 18 address (postgres://user:password@host:port/database).");
  const applied = await migrate(databaseUrl);
  say(applied.length === 0 ? "The database is up to date." : `Applied: ${applied.join(", ")}`);
  if (storageUrl) {
    const location = parseStorageUrl(storageUrl);
    if (location.kind === "bucket")
      say(
        (await ensureBucket(location))
          ? `Made the bucket ${location.bucket}.`
          : `The bucket ${location.bucket} is there.`,
      );
  }
  if (keyFile && !key)
    say((await makeKey(keyFile)) ? "Made a key for site passwords." : "The key for site passwords is there.");
}

/** @returns false when the file exists already */
async function makeKey(file: string): Promise<boolean> {
  try {
    await writeFile(file, `${randomBytes(32).toString("hex")}\n`, { flag: "wx", mode: 0o400 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`Preparing failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
