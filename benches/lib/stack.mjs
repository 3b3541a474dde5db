// @ts-check
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startStack } from "../../infra/local/stack.mjs";
import { restClient } from "./rest-client.mjs";

/** Variables that are removed from the environment: with them, the product would not be the embedded one with its defaults. */
const leftOut = [
  "DATABASE_URL",
  "NATS_URL",
  "STORAGE_URL",
  "API_TOKEN",
  "API_TOKEN_HEADER",
  "SECRET_KEY",
  "HOST",
  "EGRESS_PRIVATE",
  "EGRESS_ALLOW",
];

/**
 * @typedef {object} Product a running product with its own data directory, empty at first
 * @property {string} address
 * @property {string} dataDir
 * @property {string} storageUrl
 * @property {import("./rest-client.mjs").RestClient} rest
 * @property {import("pg").Client} database
 * @property {{ DATABASE_URL: string, NATS_URL: string, STORAGE_URL: string }} addresses the settings for further processes of the same product
 * @property {() => (import("./processes.mjs").Part & { origin?: string | undefined })[]} parts its present processes;
 *   `origin`: the address of a service
 */

/**
 * Starts the product, calls `use` with it, and afterwards (also after a failure or abort) stops it and removes its data.
 * @template T
 * @param {{ signal: AbortSignal, log?: (line: string) => void, keepData?: boolean, secretKey?: string, apiToken?: string, egressAllow?: string, env?: Record<string, string> }} options
 *   `env`: more settings, such as those of servers in place of the embedded ones
 * @param {(product: Product) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withProduct(
  { signal, log = () => {}, keepData = false, secretKey, apiToken, egressAllow, env: more = {} },
  use,
) {
  const folder = await mkdtemp(join(tmpdir(), "web-tester-bench-"));
  await chmod(folder, 0o711); // where we are root, PostgreSQL runs as another user
  const dataDir = join(folder, "data");
  try {
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !leftOut.includes(name)));
    const stack = await startStack(
      {
        ...env,
        DATA_DIR: dataDir,
        PORT: "0",
        ...(secretKey === undefined ? {} : { SECRET_KEY: secretKey }),
        ...(apiToken === undefined ? {} : { API_TOKEN: apiToken }),
        ...(egressAllow === undefined ? {} : { EGRESS_ALLOW: egressAllow }),
        ...more,
      },
      { log, signal },
    );
    const database = new pg.Client({ connectionString: stack.databaseUrl, statement_timeout: 60_000 });
    database.on("error", (error) => log(`The bench's own database connection: ${error.message}`));
    try {
      await database.connect();
      const parts = () =>
        stack.parts().flatMap(({ name, pid, origin }) => (pid === null ? [] : [{ name, pid, origin }]));
      return await use({
        address: stack.address,
        dataDir,
        addresses: { DATABASE_URL: stack.databaseUrl, NATS_URL: stack.natsUrl, STORAGE_URL: stack.storageUrl },
        storageUrl: stack.storageUrl,
        rest: restClient(stack.address, signal, apiToken),
        database,
        parts,
      });
    } finally {
      await database.end().catch(() => {});
      await stack.stop();
    }
  } finally {
    if (keepData) log(`Data and logs are kept in ${folder}`);
    else await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Returns a signal for a whole bench, which aborts at Ctrl-C, SIGTERM, SIGHUP, or when the time is up.
 * @param {number} timeoutMs
 * @returns {AbortSignal}
 */
export function benchSignal(timeoutMs) {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new Error(`The bench was not done after ${timeoutMs / 1000} s`)),
    timeoutMs,
  );
  timer.unref();
  for (const name of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(name, () => controller.abort(new Error(`Stopped by ${name}`)));
  return controller.signal;
}
