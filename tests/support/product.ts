import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase, type Database } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { restClient, type RestClient } from "../../benches/lib/rest-client.mjs";
import { startStack, type Stack } from "../../infra/local/stack.mjs";
import { type Backing, startBacking } from "./backing.js";

/** The whole product on an empty data directory of its own. */
export interface Product {
  address: string;
  dataDir: string;
  stack: Pick<Stack, "address" | "databaseUrl" | "natsUrl" | "storageUrl" | "parts">;
  rest: RestClient;
  db: Database;
  store: ObjectStore;
  /**
   * What a person was told was started or stored, and so must not get lost. Entries of objects that were deleted on purpose are
   * removed.
   */
  acknowledged: { objectId: string; runId: string | null }[];
  /** The present process id of a part: postgres, nats, gateway, crawler, fetcher, differ. */
  pidOf(part: string): number;
  /** What the parts with this name have logged since the suite began: `fetcher` is every fetcher. */
  logged(part: string): string;
  /** The environment for further processes of the same product. */
  workerEnv(): NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** Variables that a developer's shell may have set, and that must not reach the product under test. */
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
 * Recovery works the same with any period; these make it quick. Every look for lost work costs processor time, also while nothing happens:
 * products that suites share have the usual periods, because nothing gets lost in them.
 */
const quickRecovery = { LEASE_MS: "6000", RECONCILE_MS: "3000" };
/** Deletions happen at once; tests of undo override this. */
const atOnce = { UNDO_SECONDS: "0" };
const secretKey = "5e".repeat(32);

/**
 * The environment of a product of which only the gateway is tested, which halves the time to start: nothing is crawled, fetched or
 * compared.
 */
export const gatewayOnly = { CRAWLERS: "0", FETCHERS: "0", DIFFERS: "0" };

/** Settings by which a test itself chooses the product's servers, or some of them. */
const placed = ["DATABASE_URL", "NATS_URL", "STORAGE_URL", "DATA_DIR"];

/**
 * Starts the product; `env` adds to or replaces its settings. With `TEST_CONTAINERS=1` it uses servers in containers, unless `env`
 * names servers, or the test needs the product's `own` servers, to kill their processes or to touch their files; or only its own
 * `store`, to touch that one's files.
 */
export async function startProduct(
  env: Record<string, string> = {},
  { servers = "any" }: { servers?: "any" | "own" | "store" } = {},
): Promise<Product> {
  const hasDatabase = servers === "own" || "DATABASE_URL" in env || "DATA_DIR" in env;
  const mayBeContainers = servers === "any" && !placed.some((name) => name in env);
  const backing = hasDatabase ? undefined : await startBacking(mayBeContainers);
  try {
    return await startOn({ ...backing?.env, ...env }, backing);
  } catch (error) {
    await backing?.close();
    throw error;
  }
}

async function startOn(env: Record<string, string>, backing: Backing | undefined): Promise<Product> {
  const folder = await mkdtemp(join(tmpdir(), "web-tester-test-"));
  await chmod(folder, 0o711); // PostgreSQL runs as another user where we are root
  const dataDir = join(folder, "data");
  const settings = { DATA_DIR: dataDir, PORT: "0", ...settingsWith({ ...quickRecovery, ...env }) };
  const stack = await startStack(settings);
  return productOf(stack, settings, async () => {
    await stack.stop();
    await backing?.close();
    await rm(folder, { recursive: true, force: true });
  });
}

export function settingsWith(env: Record<string, string>): NodeJS.ProcessEnv {
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !leftOut.includes(name)));
  return { ...clean, ...atOnce, LOG_LEVEL: "warn", SECRET_KEY: secretKey, ...env };
}

/**
 * Makes a product from a running stack.
 * @param end is called when the suite has ended @param beforeEnd is called before, while everything can still be reached
 */
export function productOf(
  stack: Product["stack"],
  settings: NodeJS.ProcessEnv,
  end: () => Promise<void>,
  beforeEnd: (product: Product) => Promise<void> = () => Promise.resolve(),
): Product {
  const db = openDatabase(stack.databaseUrl, 4, () => undefined);
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const store = openObjectStore(
    stack.storageUrl,
    accessKeyId === undefined || secretAccessKey === undefined ? undefined : { accessKeyId, secretAccessKey },
  );
  const dataDir = settings["DATA_DIR"] ?? "";
  const logs = () => {
    const folder = join(dataDir, "logs");
    return readdirSync(folder).map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
  };
  const before = new Map(logs().map(({ name, text }) => [name, text]));
  const product: Product = {
    address: stack.address,
    dataDir,
    stack,
    rest: restClient(stack.address, new AbortController().signal),
    db,
    store,
    acknowledged: [],
    pidOf(part) {
      const pid = stack.parts().find(({ name }) => name === part)?.pid;
      if (pid === undefined || pid === null) throw new Error(`${part} does not run`);
      return pid;
    },
    logged(part) {
      const parts = logs().filter(({ name }) => name.startsWith(part));
      if (parts.length === 0) throw new Error(`${part} has no log`);
      return parts.map(({ name, text }) => text.replace(before.get(name) ?? "", "")).join("\n");
    },
    workerEnv() {
      const { databaseUrl: DATABASE_URL, natsUrl: NATS_URL, storageUrl: STORAGE_URL } = stack;
      return {
        ...settings,
        DATABASE_URL,
        NATS_URL,
        STORAGE_URL,
        EGRESS_PRIVATE: "own-host",
        MODE: "cluster",
        PORT: undefined,
      };
    },
    async stop() {
      await beforeEnd(product);
      store.close();
      await db.close();
      await end();
    },
  };
  return product;
}
