import { startContainers } from "./containers.js";

/** Servers that a product stands on in place of those that come with it; `env` names them. */
export interface Backing {
  env: Record<string, string>;
  close(): Promise<void>;
}

/** With `TEST_CONTAINERS=1` PostgreSQL, NATS and an S3 server in containers; else none. */
export async function startBacking(): Promise<Backing> {
  if (process.env["TEST_CONTAINERS"] === "1") return startContainers();
  return { env: {}, close: () => Promise.resolve() };
}
