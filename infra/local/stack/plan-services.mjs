// @ts-check
import { join } from "node:path";
import { freePorts } from "./ports.mjs";
import { isLoopback, projectRoot } from "./settings.mjs";

/**
 * Plans which service processes to run, each with its environment.
 * @param {object} around
 * @param {import("./settings.mjs").Env} around.env
 * @param {import("./settings.mjs").Settings} around.settings
 * @param {{ address: string, databaseUrl: string, natsUrl: string, storageUrl: string }} around.stack
 * @param {number} around.gatewayPort
 * @param {number} around.samplePort of the sample site
 * @param {number[]} around.backingPorts of embedded Postgres and NATS
 * @param {string} around.secretKey
 * @param {import("./data-dir.mjs").DataDir} around.dataDir
 * @returns {Promise<import("./services.mjs").ServicePlan[]>}
 */
export async function planServices({
  env,
  settings,
  stack,
  gatewayPort,
  samplePort,
  backingPorts,
  secretKey,
  dataDir,
}) {
  const workers = [
    ...replicas("crawler", settings.processes.crawler),
    ...replicas("fetcher", settings.processes.fetcher),
    ...replicas("differ", settings.processes.differ),
  ];
  const healthPorts = await freePorts(workers.length);
  const ownPorts = [gatewayPort, ...backingPorts, ...healthPorts, ...neighbourPorts(stack)].map(String);
  // further ports that the user names; a service reports what is wrong with one
  const namedPorts = (env["OWN_PORTS"] ?? "").split(",").flatMap((port) => port.trim() || []);
  const common = {
    ...withoutNpm(env),
    NODE_ENV: env["NODE_ENV"] === "test" ? "test" : "production",
    MODE: "embedded",
    HOST: settings.host,
    PORT: String(gatewayPort),
    DATA_DIR: dataDir.path,
    DATABASE_URL: stack.databaseUrl,
    NATS_URL: stack.natsUrl,
    STORAGE_URL: stack.storageUrl,
    SECRET_KEY: secretKey,
    EGRESS_PRIVATE: env["EGRESS_PRIVATE"] || "own-host",
    OWN_PORTS: [...new Set([...ownPorts, ...namedPorts])].join(","),
    // glibc keeps an arena per thread; two cost nothing measurable and save a fifth of the differ's resident memory
    MALLOC_ARENA_MAX: env["MALLOC_ARENA_MAX"] ?? "2",
    // large blocks go back to the system when they are freed; glibc would keep up to 64 MB of them for reuse, 50 to 100 MB in all
    MALLOC_MMAP_THRESHOLD_: env["MALLOC_MMAP_THRESHOLD_"] ?? "262144",
    MALLOC_TRIM_THRESHOLD_: env["MALLOC_TRIM_THRESHOLD_"] ?? "1048576",
    SAMPLE_PORT: env["SAMPLE_PORT"] ?? String(samplePort),
    WEB_DIR: join(projectRoot, "web", "dist"),
  };
  const logFile = (/** @type {string} */ name) => join(dataDir.logs, `${name}.log`);
  return [
    {
      name: "gateway",
      service: "gateway",
      env: common,
      readyUrl: `${stack.address}/readyz`,
      logFile: logFile("gateway"),
    },
    ...workers.map(({ name, service }, index) => {
      const healthPort = healthPorts[index];
      return {
        name,
        service,
        env: { ...common, HOST: "127.0.0.1", HEALTH_PORT: String(healthPort) },
        readyUrl: `http://127.0.0.1:${healthPort}/readyz`,
        logFile: logFile(name),
      };
    }),
  ];
}

/**
 * @param {import("./services.mjs").ServiceName} service
 * @param {number} count
 */
function replicas(service, count) {
  return Array.from({ length: count }, (_, index) => ({
    service,
    name: count === 1 ? service : `${service}-${index + 1}`,
  }));
}

/** Ports of servers on this machine that the settings name: a monitored site must not reach these either. */
/** @param {{ databaseUrl: string, natsUrl: string, storageUrl: string }} stack */
function neighbourPorts({ databaseUrl, natsUrl, storageUrl }) {
  const endpoint = URL.canParse(storageUrl) ? new URL(storageUrl).searchParams.get("endpoint") : null;
  return [databaseUrl, ...natsUrl.split(","), endpoint ?? ""].flatMap((address) => {
    if (!URL.canParse(address.trim())) return [];
    const url = new URL(address.trim());
    const usual = { "postgres:": 5432, "postgresql:": 5432, "nats:": 4222, "tls:": 4222, "http:": 80, "https:": 443 }[
      url.protocol
    ];
    const port = url.port === "" ? usual : Number(url.port);
    return isLoopback(url.hostname) && port !== undefined ? [port] : [];
  });
}

/** @param {import("./settings.mjs").Env} env */
function withoutNpm(env) {
  return Object.fromEntries(Object.entries(env).filter(([name, value]) => value !== undefined && !/^npm_/i.test(name)));
}
