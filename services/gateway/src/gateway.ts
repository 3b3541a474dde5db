import "reflect-metadata";
import { PATH_METADATA } from "@nestjs/common/constants.js";
import { DiscoveryService, MetadataScanner, NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";
import { api } from "@web-tester/contracts/api";
import { AppError } from "@web-tester/contracts/errors";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Config } from "@web-tester/platform/config/config";
import { parseSmtpUrl } from "@web-tester/platform/config/smtp-url";
import type { Database } from "@web-tester/platform/database/database";
import type { Logger } from "@web-tester/platform/log/logger";
import type { Metrics } from "@web-tester/platform/metrics/metrics";
import { showQueues } from "@web-tester/records/runs/queue-metrics";
import { showUntold } from "@web-tester/records/runs/untold-runs";
import { createReplayer, type Replayer } from "@web-tester/replay/replayer";
import type { AddressPolicy } from "@web-tester/platform/egress/address-policy";
import type { Egress } from "@web-tester/platform/egress/egress";
import type { Names } from "@web-tester/platform/egress/names";
import { createSocketOpener } from "@web-tester/platform/egress/open-socket";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { Tracer } from "@web-tester/platform/tracing/tracer";
import type { ReconcilerOptions } from "@web-tester/worker/reconcile";
import express from "express";
import { once } from "node:events";
import { AppModule } from "./app.module.js";
import { type AccessPolicy, isLoopback } from "./auth/access.js";
import { accessGate } from "./auth/access.guard.js";
import { isPublic } from "./http/public.js";
import { Audit } from "./auth/audit.js";
import { cookieNamesFor } from "./auth/cookie.js";
import { Authenticator } from "./auth/authenticator.js";
import { egressFetch } from "./auth/egress-fetch.js";
import { createProvider, type Provider } from "./auth/oidc.js";
import { LiveCredentials } from "./auth/live-credentials.js";
import { serveAssistants } from "./assistants/serve-assistants.js";
import { auditChanges } from "./http/audit-changes.js";
import { serveApiDocs } from "./http/api-docs.js";
import { answerBrokenRequests, requireHostHeader } from "./http/broken-requests.js";
import { bodyTimeLimits } from "./http/body-time.js";
import { clientAddresses } from "./http/client-address.js";
import { createDraining, type Draining } from "./http/draining.js";
import { createConnectionLimit, endStillConnections, serverTimes } from "./http/connections.js";
import { describeRouteFaults, routeFaults } from "./http/check-routes.js";
import { handledEndpoint } from "./http/handles.js";
import { jsonBody } from "./http/json-body.js";
import { measureRequests } from "./http/measure-requests.js";
import { nestLog } from "./http/nest-log.js";
import { ReplyAdapter } from "./http/reply-adapter.js";
import { limitPipelines } from "./http/pipelines.js";
import { secretShown } from "./auth/credentials.js";
import { createRateLimit, limitRequests, type RateLimit } from "./http/rate-limit.js";
import { createSender, type Sender } from "./http/sender.js";
import { securityHeaders } from "./http/security-headers.js";
import { webApp } from "./http/web-app.js";
import {
  ACCESS,
  AUDIT,
  BROWSER_PROBLEM,
  BUS,
  DB,
  AUTHENTICATOR,
  LIVE,
  type GatewayOptions,
  LOG,
  METRICS,
  OPTIONS,
  PROVIDER,
  RATE,
  REPLAYER,
  SECRETS,
  SENDER,
  STORE,
} from "./parts.js";
import { createBrowserProblem } from "./objects/browser-problem.js";
import { SocketAdapter } from "./realtime/socket-adapter.js";
import { createFullDisk } from "./service/full-disk.js";
import { storagePlace } from "./stats/storage-place.js";
import { createDrawTiny } from "./notifications/draw-tiny.js";
import { SENDING, type SendingParts } from "./notifications/sending-parts.js";
import { showStoredSizes } from "./stats/stored-sizes.js";

export interface GatewayParts {
  config: Pick<
    Config,
    | "host"
    | "port"
    | "apiToken"
    | "apiTokenHeader"
    | "allowedHosts"
    | "rateLimit"
    | "connectionLimit"
    | "sameSite"
    | "trustedProxies"
    | "healthPort"
    | "mode"
    | "dataDir"
    | "webDir"
    | "storageUrl"
    | "hostConcurrency"
    | "reconcileMs"
    | "leaseMs"
    | "undoSeconds"
    | "uploadStallMs"
    | "samplePort"
    | "providerName"
    | "providerAddress"
    | "providerEmail"
    | "publicUrl"
    | "sessionHours"
    | "auditDays"
    | "oidcIssuer"
    | "oidcName"
    | "oidcClientId"
    | "oidcClientSecret"
    | "oidcScopes"
    | "oidcRoleClaim"
    | "oidcRoles"
    | "oidcDefaultRole"
    | "smtpUrl"
    | "mailFrom"
  >;
  log: Logger;
  db: Database;
  bus: Bus;
  store: ObjectStore;
  secrets: SecretBox;
  egress: Egress;
  policy: AddressPolicy;
  names: Names;
  metrics: Metrics;
  tracer: Tracer;
  onError: ReconcilerOptions["onError"];
  onRecovered: ReconcilerOptions["onRecovered"];
}

export interface RunningGateway {
  /** The port that is listened on, also where the configuration says 0. */
  port: number;
  stop(): Promise<void>;
}

/** In a cluster, load balancers take this long to notice that this gateway is not ready any more; until then every request is served. */
const lingerMs = 2_000;
/** Requests still being answered after this long are cut off; the process as a whole has 25 s to end. */
const drainMs = 18_000;
const idleLookMs = 50;

/**
 * Serves the product: REST calls, websockets, health and the browser application, on one port.
 * @throws AppError unavailable when the port is taken or the database has no tables; internal when a call has no handler
 */
export async function startGateway(parts: GatewayParts): Promise<RunningGateway> {
  const { config, log, db, bus, metrics, tracer } = parts;
  await requireTables(db);
  const hasProvider = config.oidcIssuer !== undefined;
  const access: AccessPolicy = {
    token: config.apiToken ?? null,
    hasProvider,
    // so that changing API_TOKEN invalidates addresses signed before
    signingKey: parts.secrets.derive(`addresses ${config.apiToken ?? ""}`),
    cookies: cookieNamesFor(parts.secrets.derive("name of the cookie")),
    tokenHeader: config.apiTokenHeader.toLowerCase(),
    names: config.allowedHosts,
    host: config.host,
    sameSite: config.sameSite,
  };
  const authenticator = new Authenticator(access, db, parts.secrets.derive("sign-ins"));
  const live = new LiveCredentials(bus, () => authenticator.forget());
  const audit = new Audit(db, log);
  const rate = createRateLimit({ perMinute: config.rateLimit, trustedProxies: config.trustedProxies });
  const connections = createConnectionLimit({
    perClient: config.connectionLimit,
    trustedProxies: config.trustedProxies,
  });
  const sender = createSender({ stallMs: config.uploadStallMs });
  const replayer = createReplayer();
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.over([
      ...providersOf(parts, access, rate, sender, replayer),
      { provide: AUTHENTICATOR, useValue: authenticator },
      { provide: LIVE, useValue: live },
      { provide: AUDIT, useValue: audit },
      { provide: PROVIDER, useValue: providerFor(parts) },
      sendingOf(parts),
    ]),
    new ReplyAdapter(expressApp(), sender, serverTimes(config.uploadStallMs)),
    { bodyParser: false, logger: nestLog(log), abortOnError: false, forceCloseConnections: false },
  );
  app.useWebSocketAdapter(new SocketAdapter(app, { policy: access, authenticator, live }, rate, connections, log));
  showQueues(metrics, db, bus);
  showUntold(metrics, db);
  showStoredSizes(metrics, db, bus);
  const draining = createDraining();
  connections.watch(app.getHttpServer());
  app.use(
    endStillConnections(app.getHttpServer(), config.uploadStallMs),
    draining.handler,
    measureRequests(metrics, tracer),
    securityHeaders,
    limitPipelines(),
    connections.handler,
    limitRequests(rate, secretShown(access.tokenHeader)),
    requireHostHeader,
    bodyTimeLimits(config.uploadStallMs),
    auditChanges(log, clientAddresses(config.trustedProxies)),
    accessGate({ policy: access, authenticator, live }),
    webApp(config.webDir ?? null),
    jsonBody(),
  );
  serveApiDocs(app);
  serveAssistants(app, { policy: access, rate, screens: publicUrlOf(config) });
  requireEveryHandler(app);
  await listen(app, config.host, config.port);
  // for example too many open files: waiting connections are accepted once there is room
  app.getHttpServer().on("error", (error: unknown) => log.error({ err: error }, "a connection could not be taken"));
  if ((await authenticator.isOpen()) && !isLoopback(config.host) && config.allowedHosts.length === 0) {
    log.warn(
      { host: config.host },
      "ANYBODY WHO REACHES THIS ADDRESS CAN READ AND DELETE EVERYTHING: no API_TOKEN is set and HOST is not a loopback address. Set API_TOKEN, or HOST=127.0.0.1.",
    );
  }
  return {
    port: portOf(app, config.port),
    stop: async () => {
      await stop(app, draining, config.mode === "cluster" ? lingerMs : 0);
      await replayer.close();
    },
  };
}

function expressApp(): express.Express {
  const server = express();
  server.disable("x-powered-by");
  server.disable("etag");
  // the router must be as case-sensitive as the access check; Express reads this setting when its router is made
  server.enable("case sensitive routing");
  return server;
}

function providersOf(
  { config, log, db, bus, store, secrets, metrics, onError, onRecovered }: GatewayParts,
  access: AccessPolicy,
  rate: RateLimit,
  sender: Sender,
  replayer: Replayer,
) {
  const options: GatewayOptions = {
    hostConcurrency: config.hostConcurrency,
    reconcileMs: config.reconcileMs,
    leaseMs: config.leaseMs,
    undoSeconds: config.undoSeconds,
    fullDisk: createFullDisk(config.mode === "embedded" ? config.dataDir : null),
    storagePlace: storagePlace(config.storageUrl),
    onError,
    onRecovered,
    showsMetrics: config.healthPort === undefined,
    sessionMs: config.sessionHours * 3_600_000,
    auditDays: config.auditDays,
    publicUrl: publicUrlOf(config),
    hasPublicUrl: config.publicUrl !== undefined,
    providerName: config.oidcIssuer === undefined ? null : config.oidcName,
    samplePort: config.samplePort ?? null,
    provider: {
      name: config.providerName ?? null,
      address: config.providerAddress?.replaceAll("\\n", "\n") ?? null,
      email: config.providerEmail ?? null,
    },
  };
  const values = [
    [DB, db],
    [BUS, bus],
    [BROWSER_PROBLEM, createBrowserProblem(bus)],
    [STORE, store],
    [SECRETS, secrets],
    [LOG, log],
    [METRICS, metrics],
    [ACCESS, access],
    [RATE, rate],
    [SENDER, sender],
    [REPLAYER, replayer],
    [OPTIONS, options],
  ] as const;
  return values.map(([provide, useValue]) => ({ provide, useValue }));
}

function sendingOf({ config, egress, policy, names, secrets, bus, store }: GatewayParts) {
  const { smtpUrl, mailFrom } = config;
  const useValue: SendingParts = {
    egress,
    secrets,
    open: createSocketOpener(policy, names),
    draw: createDrawTiny(bus, store),
    mail: smtpUrl === undefined ? null : { ...parseSmtpUrl(smtpUrl), from: mailFrom ?? "web-tester@localhost" },
    publicUrl: publicUrlOf(config),
  };
  return { provide: SENDING, useValue };
}

function providerFor({ config, egress }: Pick<GatewayParts, "config" | "egress">): Provider | null {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config;
  // the configuration guarantees a client wherever there is an issuer
  if (issuer === undefined || clientId === undefined) return null;
  return createProvider(
    {
      ...{ issuer, clientId, clientSecret: config.oidcClientSecret ?? null, scopes: config.oidcScopes },
      ...{ roleClaim: config.oidcRoleClaim, roleMap: config.oidcRoles, defaultRole: config.oidcDefaultRole ?? null },
    },
    egressFetch(egress, new URL(issuer)),
  );
}

function publicUrlOf({ host, port, publicUrl }: GatewayParts["config"]): string {
  const name = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  return (publicUrl ?? `http://${name}:${port}`).replace(/\/+$/, "");
}

async function requireTables(db: Database): Promise<void> {
  const [row] = await db.query<{ there: boolean }>(`SELECT to_regclass('test_object') IS NOT NULL AS there`);
  if (row?.there !== true)
    throw new AppError(
      "unavailable",
      "The database has no tables yet. Run the migrations first (node packages/records/dist/schema/migrate.js up).",
    );
}

/**
 * Checks that every route has a row in the endpoint table and a role, and every row a route.
 * @throws AppError internal
 */
function requireEveryHandler(app: NestExpressApplication): void {
  const scanner = new MetadataScanner();
  const routes = app
    .get(DiscoveryService)
    .getControllers()
    .flatMap(({ metatype }) =>
      typeof metatype === "function"
        ? scanner.getAllMethodNames(metatype.prototype).flatMap((name) => {
            const handler: unknown = metatype.prototype[name];
            if (typeof handler !== "function" || !Reflect.hasMetadata(PATH_METADATA, handler)) return [];
            return [
              { name: `${metatype.name}.${name}`, endpoint: handledEndpoint(handler), isPublic: isPublic(handler) },
            ];
          })
        : [],
    );
  const fault = describeRouteFaults(routeFaults(api, routes));
  if (fault !== null) throw new AppError("internal", fault);
}

async function listen(app: NestExpressApplication, host: string, port: number): Promise<void> {
  answerBrokenRequests(app.getHttpServer());
  try {
    await app.init();
    // without Nest's `listen`, which would log the fault before we can put it into clear words
    const server = app.getHttpServer().listen(port, host.replace(/^\[(.*)\]$/, "$1"));
    await once(server, "listening");
  } catch (error) {
    await app.close().catch(() => undefined);
    const code = typeof error === "object" && error !== null && "code" in error ? error.code : null;
    if (code === "EADDRINUSE")
      throw new AppError(
        "unavailable",
        `Port ${port} on ${host} is taken by another program. Stop that program, or set PORT to a free port.`,
        { cause: error },
      );
    if (code === "EACCES")
      throw new AppError(
        "unavailable",
        `Port ${port} on ${host} is not allowed to this user. Set PORT to one above 1023.`,
        { cause: error },
      );
    if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new AppError(
        "unavailable",
        `This machine has no address ${host}. Set HOST to one of its own, for example 127.0.0.1.`,
        { cause: error },
      );
    throw error;
  }
}

function portOf(app: NestExpressApplication, configured: number): number {
  const address: unknown = app.getHttpServer().address();
  return typeof address === "object" && address !== null && "port" in address && typeof address.port === "number"
    ? address.port
    : configured;
}

async function stop(app: NestExpressApplication, draining: Draining, waitMs: number): Promise<void> {
  const server = app.getHttpServer();
  draining.begin();
  await new Promise((resolve) => setTimeout(resolve, waitMs));
  const cutOff = setTimeout(() => server.closeAllConnections(), drainMs);
  // an answer that had begun before the shutdown may leave its connection open
  const closing = setInterval(() => server.closeIdleConnections(), idleLookMs);
  await app.close();
  clearInterval(closing);
  clearTimeout(cutOff);
}
