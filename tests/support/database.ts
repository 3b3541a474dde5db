import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Database, openDatabase } from "@web-tester/platform/database/database";
import { startStack } from "../../infra/local/stack.mjs";
import { areServersShared, dropDatabase, newDatabase } from "./shared-servers.js";

/** A separate migrated database, without the product's services. */
export interface OwnDatabase {
  url: string;
  /** Address of an object store for it. */
  storageUrl: string;
  natsUrl: string;
  db: Database;
  stop(): Promise<void>;
}

/**
 * Starts a separate database.
 * @param connections at most, for `db`
 */
export async function startDatabase(connections = 2): Promise<OwnDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "web-tester-test-"));
  await chmod(folder, 0o711); // PostgreSQL runs as another user where we are root
  const env = {
    PATH: process.env["PATH"],
    HOME: process.env["HOME"],
    DATA_DIR: join(folder, "data"),
    PORT: "0",
    ...(areServersShared ? { DATABASE_URL: await newDatabase() } : {}),
  };
  const stack = await startStack(env, { services: false });
  const db = openDatabase(stack.databaseUrl, connections, () => undefined);
  return {
    url: stack.databaseUrl,
    storageUrl: stack.storageUrl,
    natsUrl: stack.natsUrl,
    db,
    async stop() {
      await db.close();
      await stack.stop();
      if (areServersShared) await dropDatabase(stack.databaseUrl);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
