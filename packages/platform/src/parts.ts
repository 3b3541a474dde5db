import { type Config, requireSecretKey } from "./config.js";
import { openBus } from "./bus/open-bus.js";
import type { Bus } from "./bus/bus.js";
import { checkSchema } from "./db/check-schema.js";
import { type Database, openDatabase } from "./db/database.js";
import { type AddressPolicy, createAddressPolicy } from "./egress/address-policy.js";
import { createEgress, type Egress } from "./egress/egress.js";
import { createNames, type Names } from "./egress/names.js";
import { namedParts } from "./egress/named-parts.js";
import { openOwnParts, type OwnParts } from "./egress/own-parts.js";
import { localAddresses } from "./egress/resolve.js";
import { createHealthServer } from "./health.js";
import type { Logger } from "./logger.js";
import { createMetrics, type Metrics } from "./metrics.js";
import { countMessages } from "./metrics/message-metrics.js";
import { showPool } from "./metrics/pool-metrics.js";
import { countStorage } from "./metrics/storage-metrics.js";
import { openTracer } from "./tracing/open-tracer.js";
import type { Tracer } from "./tracing/tracer.js";
import { createHostGate, type HostGate } from "./politeness/host-gate.js";
import { createHostSlots, type HostSlots } from "./politeness/host-slots.js";
import { createSecretBox, type SecretBox } from "./secrets/secret-box.js";
import type { ObjectStore } from "./storage/object-store.js";
import { openObjectStore } from "./storage/open-object-store.js";
import { noteLosses } from "./work/note-losses.js";
import type { ReconcilerOptions } from "./work/reconcile.js";

/** Everything a worker stands on, open. */
export interface Parts {
  db: Database;
  bus: Bus;
  store: ObjectStore;
  egress: Egress;
  /** Where every outbound connection gets its addresses from. */
  names: Names;
  /** What every outbound connection is decided by. */
  policy: AddressPolicy;
  /** To be told where this process listens, so that no other one fetches from there. */
  listens: OwnParts["listens"];
  secrets: SecretBox;
  gate: HostGate;
  slots: HostSlots;
  metrics: Metrics;
  tracer: Tracer;
  /** For reconcilers: logs and counts what they recovered. */
  onRecovered: ReconcilerOptions["onRecovered"];
  /** What `/readyz` is to name where it does not work in full, by the name of the part (`createHealthServer`). */
  problems: Map<string, () => Promise<string | null>>;
  /** What else `/readyz` is to say of a part, by its name. */
  notes: Map<string, () => string | null>;
  /** What has to work for this process to be ready; a service may add its own. */
  checks: Record<string, () => Promise<void>>;
  /** In the order that lets work in hand still be written. */
  close(): Promise<void>;
}

/**
 * Opens what the configuration names and the health server over it. A part that does not answer at the start is an
 * error; one that goes away later is waited for.
 */
export async function openParts(name: string, config: Config, log: Logger): Promise<Parts> {
  const onError = (message: string, error: unknown) => log.error({ err: error }, message);
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
  const store = noteLosses(db, countStorage(metrics, openObjectStore(config.storageUrl)), onError);
  await checkSchema(db);
  const bus = await openBus(config.natsUrl, {
    name,
    hostConcurrency: config.hostConcurrency,
    ackWaitMs: config.leaseMs,
    replicas: config.natsReplicas,
    onError,
    onHandled,
    tracer,
  });
  const names = createNames();
  const own = await openOwnParts({
    named: namedParts(config),
    lookup: names.lookup,
    bus,
    async databaseAddress() {
      const [server] = await db.query<{ host: string | null; port: number | null }>(
        "SELECT host(inet_server_addr()) AS host, inet_server_port() AS port",
      );
      return server?.host == null || server.port === null ? null : { host: server.host, port: server.port };
    },
  });
  const policy = createAddressPolicy({
    private: config.egressPrivate,
    allow: config.egressAllow,
    ownAddresses: own.current,
    localAddresses: localAddresses(),
  });
  const egress = createEgress(policy, { names });
  const slots = createHostSlots(config.databaseUrl, config.hostConcurrency);
  const checks: Parts["checks"] = {
    database: () => checkSchema(db),
    bus: () => bus.check(),
    storage: () => store.check(),
  };
  const problems: Parts["problems"] = new Map();
  const notes: Parts["notes"] = new Map();
  const health =
    config.healthPort === undefined
      ? null
      : await createHealthServer({
          host: config.host,
          port: config.healthPort,
          checks,
          problems,
          notes,
          metrics: metrics.registry,
        });
  if (health !== null) own.listens(config.host, health.port);
  return {
    db,
    bus,
    store,
    egress,
    names,
    policy,
    listens: own.listens,
    secrets,
    gate: createHostGate(db),
    slots,
    metrics,
    tracer,
    onRecovered(work, why, rows, message) {
      countRecovered(work, why, rows);
      log.warn(message);
    },
    problems,
    notes,
    checks,
    async close() {
      await health?.close();
      await slots.close();
      own.close();
      await bus.close();
      await egress.close();
      await db.close();
      store.close();
      await tracer.close();
    },
  };
}
