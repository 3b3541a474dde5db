import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type Database, openDatabase } from "@web-tester/platform/database/database";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { createObjectStore, openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { restClient, type RestClient } from "../../benches/lib/rest-client.mjs";
import { startStack, type Stack } from "../../infra/local/stack.mjs";
import { planServices } from "../../infra/local/stack/plan-services.mjs";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import type { ServicePlan } from "../../infra/local/stack/services.mjs";
import { readSettings } from "../../infra/local/stack/settings.mjs";
import { startWatchdog } from "../../infra/local/stack/watchdog.mjs";
import { readBucketFolder } from "./bucket-folder.ts";
import { type FaultProxy, openFaultProxy } from "./fault-proxy.ts";
import { root, runService, type Service } from "./services.ts";
import { openStoreProxy, type StoreProxy } from "./store-proxy.ts";

export const serviceNames = ["gateway", "crawler", "fetcher", "differ"] as const;
type ServiceName = (typeof serviceNames)[number];
/** The owners of a set of proxies: each service, and together the programs that are started from time to time (backup, collector). */
export const proxyOwners = [...serviceNames, "tools"] as const;
export type ProxyOwner = (typeof proxyOwners)[number];

export type StoreKind = "folder" | "bucket";

/** The proxies through which one process reaches the servers. */
export interface FaultProxies {
  postgres: FaultProxy;
  nats: FaultProxy;
  /** Undefined if the store is a folder. */
  store: StoreProxy | undefined;
}

/** A whole running product whose services reach the servers through proxies, with its addresses and folders. */
export interface LaneStack {
  storeKind: StoreKind;
  address: string;
  folder: string;
  /** Folder of the database, NATS and the stack's state; a small file system of its own where that is possible. */
  dataDir: string;
  objectsDir: string;
  logs: string;
  /** Whether `dataDir` and `objectsDir` are file systems of their own, which can be filled. */
  hasOwnDisks: boolean;
  stack: Stack;
  /** A REST client for each running gateway; requests go to them in turn. */
  rests: RestClient[];
  /** A connection past all proxies, for inspecting. */
  db: Database;
  store: ObjectStore;
  proxies: Record<ProxyOwner, FaultProxies>;
  services: Map<ServiceName, Service>;
  pidOf(part: ServiceName | "nats" | "postgres"): number | undefined;
  /** The environment for a further process of this product, which reaches the servers through the proxies of its owner. */
  envOf(owner: ProxyOwner): NodeJS.ProcessEnv;
  /** Starts another process of a service, with this or an older version's code, and waits until it is ready. */
  runFurther(service: ServiceName, options?: { home?: string }): Promise<Service>;
  /** Stops the product; `keep` leaves its folder for the investigation of a failed round. */
  stop(options?: { keep?: boolean }): Promise<void>;
}

const leftOut =
  /^(DATABASE_URL|NATS_URL|STORAGE_URL|API_TOKEN.*|SECRET_KEY|HOST|PORT|DATA_DIR|EGRESS_.*|NODE_OPTIONS|npm_.*)$/;
const secretKey = "5e".repeat(32);
const readyWithinMs = 90_000;
const s3Program = join(root, "packages/platform/src/object-store/test-s3-server.mjs");

/** @param parent folder in which the lane makes its own, @param chance returns 0…1, for store proxies that hit only some requests */
export async function startLaneStack(
  parent: string,
  storeKind: StoreKind,
  chance: () => number,
  say: (line: string) => void,
): Promise<LaneStack> {
  const folder = await mkdtemp(join(parent, `${storeKind}-`));
  await chmod(folder, 0o711); // PostgreSQL runs as another user if this process runs as root
  const dataDir = join(folder, "data");
  const objectsDir = join(folder, "objects");
  const logs = join(folder, "logs");
  for (const path of [dataDir, objectsDir, logs]) await mkdir(path, { mode: 0o711 });
  const mounted = [mountSmall(dataDir, 700), mountSmall(objectsDir, 300)];
  const bucket = storeKind === "bucket" ? await startBucket(objectsDir) : undefined;
  const clean = Object.fromEntries(Object.entries(process.env).filter(([name]) => !leftOut.test(name)));
  const env: NodeJS.ProcessEnv = {
    ...clean,
    LOG_LEVEL: "info",
    SECRET_KEY: secretKey,
    DATA_DIR: dataDir,
    PORT: "0",
    ...bucket?.credentials,
    STORAGE_URL: bucket === undefined ? pathToFileURL(objectsDir).href : bucketUrl(bucket.port),
  };
  const stack = await startStack(env, { services: false, log: say });
  const proxies = await openFaultProxies(stack, bucket?.port, chance);
  const [gatewayPort = 0, samplePort = 0] = await freePorts(2);
  const address = `http://127.0.0.1:${gatewayPort}`;
  const watchdog = startWatchdog();
  const settings = readSettings(env);
  const through = (owner: ProxyOwner) => addressesThrough(proxies[owner], stack);
  const planAll = (port: number) =>
    planServices({
      env,
      settings,
      stack: {
        address: `http://127.0.0.1:${port}`,
        databaseUrl: stack.databaseUrl,
        natsUrl: stack.natsUrl,
        storageUrl: stack.storageUrl,
      },
      gatewayPort: port,
      samplePort,
      backingPorts: [stack.databaseUrl, stack.natsUrl].map((url) => Number(new URL(url).port)),
      secretKey,
      dataDir: { path: dataDir, run: join(dataDir, "run"), logs, unlock: async () => undefined },
    });
  const withProxies = (plan: ServicePlan): ServicePlan => ({
    ...plan,
    env: { ...plan.env, ...through(plan.service) },
  });
  const services = new Map<ServiceName, Service>();
  for (const plan of (await planAll(gatewayPort)).map(withProxies))
    services.set(plan.service, runService(plan, watchdog, say));
  await Promise.all([...services.values()].map((service) => isReady(service.readyUrl)));

  const db = openDatabase(stack.databaseUrl, 3, () => undefined);
  const store =
    bucket === undefined
      ? openObjectStore(stack.storageUrl)
      : createObjectStore(readBucketFolder(join(objectsDir, "objects", "pages")));
  const further = new Set<Service>();
  const rests = [restClient(address, new AbortController().signal)];
  return {
    storeKind,
    address,
    folder,
    dataDir,
    objectsDir,
    logs,
    hasOwnDisks: mounted.every(Boolean),
    stack,
    rests,
    db,
    store,
    proxies,
    services,
    pidOf: (part) =>
      part === "nats" || part === "postgres"
        ? (stack.parts().find(({ name }) => name === part)?.pid ?? undefined)
        : services.get(part)?.pid(),
    envOf: (owner) => ({ ...env, ...through(owner), MODE: "cluster", EGRESS_PRIVATE: "own-host", PORT: undefined }),
    async runFurther(name, { home } = {}) {
      const [port = 0] = await freePorts(1);
      const plan = (await planAll(port)).map(withProxies).find(({ service }) => service === name);
      if (plan === undefined) throw new Error(`There is no service ${name}`);
      const service = runService(
        { ...plan, name: `${name}-2`, logFile: join(logs, `${name}-2.log`) },
        watchdog,
        say,
        home,
      );
      further.add(service);
      await isReady(service.readyUrl);
      if (name !== "gateway") return service;
      const rest = restClient(`http://127.0.0.1:${port}`, new AbortController().signal);
      rests.push(rest);
      return {
        ...service,
        stop() {
          rests.splice(rests.indexOf(rest), 1);
          return service.stop();
        },
      };
    },
    async stop({ keep = false } = {}) {
      store.close();
      await db.close().catch(() => undefined);
      await Promise.all([...services.values(), ...further].map((service) => service.stop()));
      await stack.stop();
      await watchdog.close();
      bucket?.child.kill();
      for (const owner of proxyOwners)
        await Promise.all([
          proxies[owner].postgres.close(),
          proxies[owner].nats.close(),
          proxies[owner].store?.close(),
        ]);
      if (keep) return;
      for (const path of [dataDir, objectsDir]) unmount(path);
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function openFaultProxies(
  stack: Stack,
  bucketPort: number | undefined,
  chance: () => number,
): Promise<Record<ProxyOwner, FaultProxies>> {
  const made = proxyOwners.map(async (owner) => {
    const proxies: FaultProxies = {
      postgres: await openFaultProxy(() => Number(new URL(stack.databaseUrl).port)),
      nats: await openFaultProxy(() => Number(new URL(stack.natsUrl).port)),
      store: bucketPort === undefined ? undefined : await openStoreProxy(() => bucketPort, chance),
    };
    return [owner, proxies] as const;
  });
  return Object.fromEntries(await Promise.all(made)) as Record<ProxyOwner, FaultProxies>;
}

/** The settings by which one process reaches the servers through its proxies. */
function addressesThrough({ postgres, nats, store }: FaultProxies, stack: Stack): Record<string, string> {
  const moved = (address: string, port: number) => {
    const url = new URL(address);
    url.port = String(port);
    return url.href.replace(/\/$/, "");
  };
  return {
    DATABASE_URL: moved(stack.databaseUrl, postgres.port),
    NATS_URL: moved(stack.natsUrl, nats.port),
    ...(store === undefined ? {} : { STORAGE_URL: bucketUrl(store.port) }),
  };
}

const bucketUrl = (port: number) =>
  `s3://objects/pages?endpoint=http://127.0.0.1:${port}&region=us-east-1&forcePathStyle=true`;

async function startBucket(folder: string) {
  const child: ChildProcess = spawn(process.execPath, ["--no-warnings", s3Program, folder, "objects"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  if (child.stdout === null) throw new Error("The S3 server says nothing");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const keys = { accessKeyId: "S3RVER", secretAccessKey: "S3RVER" };
  return {
    child,
    port: Number(line.split(":").at(-1)),
    credentials: { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey },
  };
}

/** Mounts a small file system in memory, which can be filled and does not wait for a disk. @returns false where this is not possible */
function mountSmall(path: string, megabytes: number): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=711`, "web-tester-campaign", path], {
      stdio: "ignore",
    });
    return true;
  } catch {
    return false;
  }
}

function unmount(path: string): void {
  try {
    execFileSync("umount", [path], { stdio: "ignore" });
  } catch {
    // nothing was mounted there
  }
}

/** Waits until a service says that it is ready. */
async function isReady(readyUrl: string, withinMs = readyWithinMs): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    const answer = await fetch(readyUrl, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    if (answer?.ok === true) return;
    if (performance.now() > end) throw new Error(`${readyUrl} is not ready after ${withinMs / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Creates the temporary folder for all lanes of a campaign. */
export async function makeCampaignFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "web-tester-campaign-"));
  await chmod(folder, 0o711);
  return folder;
}

/** Runs one of the product's programs to its end. @returns its exit code and all of its output */
export async function runProgram(
  path: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  timeoutMs: number,
): Promise<{ code: number; said: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [path, ...args], {
      env,
      timeout: timeoutMs,
      maxBuffer: 16 * 1024 * 1024,
    });
    return { code: 0, said: stdout + stderr };
  } catch (error) {
    const { code = 1, stdout = "", stderr = "" } = error as { code?: number; stdout?: string; stderr?: string };
    return { code: typeof code === "number" ? code : 1, said: `${stdout}${stderr}` || String(error) };
  }
}
