import { areServersShared, dropDatabase, newDatabase } from "./shared-servers.js";

/** Servers that a product uses in place of those that come with it; `env` names them. */
export interface Backing {
  env: Record<string, string>;
  close(): Promise<void>;
}

/**
 * Starts the servers for a product: with `TEST_CONTAINERS=1` PostgreSQL, NATS and an S3 server in containers; below `npm test` a
 * database of the shared PostgreSQL; else none.
 * @param mayBeContainers false where a test looks at the files of the store
 */
export async function startBacking(mayBeContainers = true): Promise<Backing> {
  // imported only here, because loading it takes every suite 0.4 s
  if (mayBeContainers && process.env["TEST_CONTAINERS"] === "1")
    return (await import("./containers.js")).startContainers();
  if (!areServersShared) return { env: {}, close: () => Promise.resolve() };
  const url = await newDatabase();
  return { env: { DATABASE_URL: url }, close: () => dropDatabase(url) };
}
