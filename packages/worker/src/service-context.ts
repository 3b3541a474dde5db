import type { IncomingMessage, ServerResponse } from "node:http";
import { relative, resolve } from "node:path";
import { AppError } from "@web-tester/contracts/errors";
import { type Config, requireSecretKey } from "@web-tester/platform/config/config";
import { openBus } from "@web-tester/platform/bus/open-bus";
import type { Bus } from "@web-tester/platform/bus/bus";
import { checkSchema, readOnlyProblem } from "@web-tester/records/schema/check-schema";
import { type Database, openDatabase } from "@web-tester/platform/database/database";
import { openSession, requireSessions } from "@web-tester/platform/database/require-sessions";
import { type AddressPolicy, createAddressPolicy } from "@web-tester/platform/egress/address-policy";
import { createEgress, type Egress } from "@web-tester/platform/egress/egress";
import { createNames, type Names } from "@web-tester/platform/egress/names";
import { namedParts } from "@web-tester/platform/egress/named-parts";
import { openOwnParts, type OwnParts } from "@web-tester/platform/egress/own-parts";
import { localAddresses } from "@web-tester/platform/egress/resolve";
import { createHealthServer, type HealthOptions, type HealthServer } from "@web-tester/platform/lifecycle/health";
import type { Logger } from "@web-tester/platform/log/logger";
import { createMetrics, type Metrics } from "@web-tester/platform/metrics/metrics";
import { countMessages } from "@web-tester/platform/metrics/message-metrics";
import { countStorage, showPool } from "@web-tester/platform/metrics/storage-metrics";
import { openTracer, type Tracer } from "@web-tester/platform/tracing/tracer";
import { createCrawlDelay, type CrawlDelay } from "@web-tester/records/hosts/crawl-delay";
import { createHostSemaphore, type HostSemaphore } from "@web-tester/records/hosts/host-semaphore";
import { createSecretBox, type SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import { openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { parseStorageUrl } from "@web-tester/platform/object-store/storage-url";
import { recordLosses } from "@web-tester/records/contents/record-losses";
import { hasStoredContents } from "@web-tester/records/contents/stored-contents";
import { readInstallation } from "@web-tester/records/installation/installation";
import { createErrorLog, type OnError } from "./error-log.js";
import type { ReconcilerOptions } from "./reconcile.js";
import { waitAtStart } from "./wait-at-start.js";

/** The opened resources that a worker works with. */
export interface ServiceContext {
  config: Config;
  log: Logger;
  db: Database;
  bus: Bus;
  store: ObjectStore;
  egress: Egress;
  /** Resolves the host names of all outbound connections. */
  names: Names;
  /** Decides which addresses outbound connections may go to. */
  policy: AddressPolicy;
  /** Announces where this process listens, so that no process of the product fetches from there. */
  listens: OwnParts["listens"];
  secrets: SecretBox;
  crawlDelay: CrawlDelay;
  slots: HostSemaphore;
  metrics: Metrics;
  tracer: Tracer;
  /** Logs errors of work that goes on by itself. */
  onError: OnError;
  /** Called by reconcilers: logs and counts the rows that they recovered. */
  onRecovered: ReconcilerOptions["onRecovered"];
  /** Problems that `/readyz` reports for parts that work only partly, by the name of the part (`createHealthServer`). */
  problems: Map<string, () => Promise<string | null>>;
  /** Further remarks of `/readyz` on a part, by its name. */
  notes: Map<string, () => string | null>;
  /** What has to work for this process to be ready; a service may add checks of its own. */
  checks: Record<string, () => Promise<void>>;
  /** Closes everything, in an order that lets unfinished work still be written. */
  close(): Promise<void>;
}

/** How a start goes on while parts do not answer yet. */
export interface StartOptions {
  /** Ends a start that still waits. */
  signal?: AbortSignal;
  /** Where a service without `HEALTH_PORT` answers `/healthz` and `/readyz` itself once it has started; 0 for any port. */
  ownPort?: number;
  /** Answers there whatever else is asked for meanwhile. */
  whileWaiting?: (request: IncomingMessage, response: ServerResponse, part: "database" | "bus") => void;
}

/**
 * Opens what the configuration names, and a health server that reports on it. A database or bus that does not answer is waited for, at
 * the start as later; meanwhile the process lives (`/healthz`), and `/readyz` says what it waits for.
 */
export async function openServiceContext(
  name: string,
  config: Config,
  log: Logger,
  { signal = new AbortController().signal, ownPort = 0, whileWaiting }: StartOptions = {},
): Promise<ServiceContext> {
  const onError = createErrorLog(log);
  const secrets = createSecretBox(requireSecretKey(config));
  const metrics = createMetrics(name);
  const { onHandled, countRecovered } = countMessages(metrics);
  const tracer = await openTracer(name, config.otelExporterOtlpEndpoint, (message) =>
    log.warn({ tracing: message }, "traces"),
  );
  const db = openDatabase(
    config.databaseUrl,
    config.databasePool,
    (error) => onError("a database connection broke", error),
    tracer,
  );
  showPool(metrics, db);
  const store = recordLosses(db, countStorage(metrics, openObjectStore(config.storageUrl)), onError);
  const checks: ServiceContext["checks"] = {
    database: () => checkSchema(db),
    bus: () => Promise.reject(new AppError("unavailable", "This service has not connected to the message bus yet.")),
    storage: () => store.check(),
  };
  const problems: ServiceContext["problems"] = new Map([
    ["database", () => readOnlyProblem(db)],
    ["storage", () => Promise.resolve(store.writeProblem())],
  ]);
  const notes: ServiceContext["notes"] = new Map();
  const shown = { checks, problems, notes, metrics: metrics.registry };
  const health = config.healthPort === undefined ? null : await openHealth(config, config.healthPort, shown);
  let awaited: "database" | "bus" = "database";
  const others: HealthOptions["others"] =
    whileWaiting && ((request, response) => whileWaiting(request, response, awaited));
  const standIn = createStandIn(
    health === null && ownPort !== 0 ? () => openHealth(config, ownPort, { ...shown, others }) : null,
  );
  const wait = { log, signal, onWait: standIn.open };
  const openConnections = async () => {
    await db.check();
    await requireSessions(() => openSession(config.databaseUrl));
  };
  await waitAtStart("the database", openConnections, wait);
  await checkSchema(db);
  store.belongsTo(await readInstallation(db));
  if (!isBesideDatabase(config)) store.mayBeAway(await hasStoredContents(db));
  const busOptions = {
    name,
    hostConcurrency: config.hostConcurrency,
    ackWaitMs: config.leaseMs,
    replicas: config.natsReplicas,
    onError,
    onHandled,
    tracer,
  };
  awaited = "bus";
  const bus = await waitAtStart("the message bus", () => openBus(config.natsUrl, busOptions), wait);
  checks["bus"] = () => bus.check();
  await standIn.close();
  const { names, policy, own } = await openWayOut(config, bus, db);
  const egress = createEgress(policy, { names });
  const slots = createHostSemaphore(config.databaseUrl, config.hostConcurrency, db.watch);
  if (health !== null) own.listens(config.host, health.port);
  const closing = [
    async () => health?.close(),
    () => slots.close(),
    async () => own.close(),
    () => bus.close(),
    () => egress.close(),
    () => db.close(),
    async () => store.close(),
    () => tracer.close(),
  ];
  return {
    config,
    log,
    db,
    bus,
    store,
    egress,
    names,
    policy,
    listens: own.listens,
    secrets,
    crawlDelay: createCrawlDelay(db),
    slots,
    metrics,
    tracer,
    onError,
    onRecovered(work, why, rows, message) {
      countRecovered(work, why, rows);
      log.warn(message);
    },
    problems,
    notes,
    checks,
    async close() {
      for (const close of closing) await close();
    },
  };
}

/** Creates the address policy of outbound connections, kept up to date with where the product's own parts are. */
async function openWayOut(config: Config, bus: Bus, db: Database) {
  const names = createNames();
  const own = await openOwnParts({
    named: namedParts(config),
    lookup: names.lookup,
    bus,
    databaseAddress: () => addressOf(db),
  });
  const policy = createAddressPolicy({
    private: config.egressPrivate,
    allow: config.egressAllow,
    ownAddresses: own.current,
    localAddresses: localAddresses(),
  });
  return { names, policy, own };
}

/** The address of the database server itself, behind whatever name leads to it; null if it does not tell. */
async function addressOf(db: Database): Promise<{ host: string; port: number } | null> {
  const [server] = await db.query<{ host: string | null; port: number | null }>(
    "SELECT host(inet_server_addr()) AS host, inet_server_port() AS port",
  );
  return server?.host == null || server.port === null ? null : { host: server.host, port: server.port };
}

function openHealth(config: Config, port: number, parts: Omit<HealthOptions, "host" | "port">): Promise<HealthServer> {
  return createHealthServer({ host: config.host, port, ...parts });
}

/**
 * A health server in the place of a service that has none, for as long as its start waits. Where its port is taken it is left out: the
 * service says so itself when it needs that port.
 * @param create null: there is no need for one
 */
function createStandIn(create: (() => Promise<HealthServer>) | null) {
  let server: HealthServer | null | undefined;
  return {
    async open() {
      server ??= create === null ? null : await create().catch(() => null);
    },
    async close() {
      await server?.close();
    },
  };
}

/** Whether the store lies in the data directory of `npm start`, on the disk of the database: if that disk is not mounted, nothing is there at all. */
function isBesideDatabase({ mode, storageUrl, dataDir }: Config): boolean {
  const location = parseStorageUrl(storageUrl);
  return (
    mode === "embedded" && location.kind === "folder" && !relative(resolve(dataDir), location.path).startsWith("..")
  );
}
