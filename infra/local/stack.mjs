// @ts-check
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withCompiledCode } from "./compiled-code.mjs";
import { checkedSettings } from "./stack/checked-settings.mjs";
import { clusterState, setAside } from "./stack/cluster.mjs";
import { openDataDir } from "./stack/data-dir.mjs";
import { databaseAnswers, natsAnswers, natsReady } from "./stack/external.mjs";
import { boundLogs, lastLineOf } from "./stack/logs.mjs";
import { embeddedNats, findNatsServer } from "./stack/nats.mjs";
import { watchNats } from "./stack/nats-watch.mjs";
import { assertCanListen, freePorts, keptPort } from "./stack/ports.mjs";
import { databaseReady, embeddedPostgres, findBinaries } from "./stack/postgres.mjs";
import { keyOf, loadSecrets, settleSecrets } from "./stack/secrets.mjs";
import { planServices } from "./stack/plan-services.mjs";
import { migrate, serviceProgram, serviceReady } from "./stack/services.mjs";
import { reachableHost } from "./stack/settings.mjs";
import { StartError } from "./stack/start-error.mjs";
import { endLeftovers, keepState, removeState } from "./stack/state-file.mjs";
import { supervise } from "./stack/supervise.mjs";
import { startWatchdog } from "./stack/watchdog.mjs";

/**
 * @typedef {object} Stack a running product
 * @property {string} address where the gateway answers, without a slash at the end
 * @property {string} databaseUrl
 * @property {string} natsUrl
 * @property {string} storageUrl
 * @property {string} stateFile path of `stack.json`, which names the present pid of every part
 * @property {string[]} embedded the backing parts that we run ourselves
 * @property {() => { name: string, pid: number | null, embedded: boolean, origin?: string | undefined }[]} parts `origin`: where it answers
 *   /healthz, /readyz and /metrics
 * @property {() => Promise<void>} stop ends everything cleanly, within 10 s; may be called again
 * @property {() => void} kill ends everything at once
 */

/**
 * @typedef {object} StackOptions
 * @property {(line: string) => void} [log] gets progress lines; default: they are dropped
 * @property {AbortSignal} [signal] aborting ends a start that is under way; a stack that is up ends by `stop`
 * @property {boolean} [services] false: only database (with its schema), bus and store; default true
 */

/** A database that has to recover after a crash may take long; a healthy one needs 0.2 s. */
const backingReadyWithinMs = 300_000;
/** A part that loses the race for a port dies once; so many deaths mean a real fault. */
const deathsBeforeReadyMax = 4;

/** A service holds at most 8 connections (`DATABASE_POOL`) … */
const connectionsPerProcess = 10;
/** … and people, tests and Postgres itself need some connections. */
const spareConnections = 20;

/**
 * Starts the product on this machine: PostgreSQL, NATS and a file store for whatever the environment does not name, the database schema and
 * the four services, each supervised and restarted when it dies. Resolves when the gateway and every worker are ready. Several stacks may
 * run at once, each with its own `DATA_DIR` and `PORT` (0: a free one).
 * @param {import("./stack/settings.mjs").Env} given the environment of the product (HOST, PORT, DATA_DIR, DATABASE_URL …),
 *   and FETCHERS, CRAWLERS and DIFFERS, the number of processes
 * @param {StackOptions} [options]
 * @returns {Promise<Stack>}
 * @throws {import("./stack/start-error.mjs").StartError} with one line to show; nothing is left running
 */
export async function startStack(given, options = {}) {
  const { env: checked, settings } = await checkedSettings(given);
  const env = withCompiledCode(checked);
  const { log = () => {}, signal = new AbortController().signal, services = true } = options;
  if (services && settings.port !== 0) await assertCanListen(settings.host, settings.port);
  // commands such as a backup end instead: they are started again by whoever wants them
  const waiting = services ? { log, signal } : undefined;
  if (settings.databaseUrl !== undefined) await databaseAnswers(settings.databaseUrl, waiting);
  if (settings.natsUrl !== undefined) await natsAnswers(settings.natsUrl, waiting);
  const dataDir = await openDataDir(settings.dataDir, log);
  const stateFile = join(dataDir.run, "stack.json");
  const watchdog = startWatchdog();
  const stopBoundingLogs = boundLogs(dataDir.logs);
  /** @type {{ workers: import("./stack/supervise.mjs").Supervised[], nats?: import("./stack/supervise.mjs").Supervised, postgres?: import("./stack/supervise.mjs").Supervised }} */
  const running = { workers: [] };
  const stack = {
    address: "",
    databaseUrl: settings.databaseUrl ?? "",
    natsUrl: settings.natsUrl ?? "",
    storageUrl: settings.storageUrl ?? "",
  };
  /** @type {Map<string, string>} */
  const origins = new Map();
  /** @type {ReturnType<typeof watchNats> | undefined} */
  let natsWatch;

  const parts = () => [
    { name: "postgres", pid: running.postgres?.pid() ?? null, embedded: settings.databaseUrl === undefined },
    { name: "nats", pid: running.nats?.pid() ?? null, embedded: settings.natsUrl === undefined },
    { name: "storage", pid: null, embedded: settings.storageUrl === undefined },
    ...running.workers.map((worker) => ({
      name: worker.name,
      pid: worker.pid() ?? null,
      embedded: true,
      origin: origins.get(worker.name),
    })),
  ];
  const { note: noteState, stop: stopNoting } = keepState(
    stateFile,
    () => ({ pid: process.pid, ...stack, parts: parts() }),
    log,
  );
  /** @param {import("./stack/supervise.mjs").Program} program */
  const run = (program) => supervise(program, { log, watchdog, onChange: noteState });

  /** @type {Promise<void> | undefined} */
  let stopping;
  const stop = () =>
    (stopping ??= (async () => {
      await Promise.all(running.workers.map((worker) => worker.stop()));
      await natsWatch?.stop();
      await running.nats?.stop();
      await running.postgres?.stop();
      stopNoting();
      stopBoundingLogs();
      await watchdog.close();
      removeState(stateFile);
      await dataDir.unlock();
    })());

  try {
    await endLeftovers(stateFile, log);
    const clusterDir = join(dataDir.path, "postgres");
    const objectsDir = join(dataDir.path, "objects");
    /** @type {import("./stack/cluster.mjs").ClusterState} */
    const cluster = settings.databaseUrl === undefined ? await clusterState(clusterDir) : { is: "missing" };
    const secretsFile = join(dataDir.path, "secrets.json");
    const secrets = await loadSecrets(secretsFile, {
      hasData: cluster.is === "whole",
      isKeyGiven: settings.secretKey !== undefined,
      log,
    });
    const secretKey = services ? keyOf(secretsFile, { given: settings.secretKey, kept: secrets.secretKey }) : "";
    if (cluster.is === "broken") {
      if (settings.storageUrl !== undefined)
        throw new StartError(
          `${clusterDir} is no whole database (${cluster.lacks}), and beside an empty one everything in STORAGE_URL would be taken for waste and removed: put the database back, or choose another store and another DATA_DIR.`,
        );
      log(`${clusterDir} is no whole database (${cluster.lacks}): it is kept in ${await setAside(clusterDir)}`);
    }
    const [port = 0, postgresPort = 0, natsPort = 0] = await freePorts(3);
    const gatewayPort = settings.port === 0 ? port : settings.port;
    stack.address = `http://${reachableHost(settings.host)}:${gatewayPort}`;

    const database = async () => {
      if (settings.databaseUrl !== undefined) return;
      const logFile = join(dataDir.logs, "postgres.log");
      const { crawler, fetcher, differ } = settings.processes;
      const connections = Math.max(60, spareConnections + connectionsPerProcess * (1 + crawler + fetcher + differ));
      const { program, url, isServing } = await embeddedPostgres({
        binaries: await findBinaries(),
        dir: clusterDir,
        port: postgresPort,
        password: secrets.postgresPassword,
        isPasswordNew: secrets.arePending,
        connections,
        logFile,
        log,
      });
      signal.throwIfAborted();
      stack.databaseUrl = url;
      const postgres = (running.postgres = run(program));
      noteState();
      await databaseReady(url, {
        timeoutMs: backingReadyWithinMs,
        signal,
        giveUp: () => givenUp(postgres, logFile),
        isServing,
        beforeNew: async () => {
          // with an empty database the garbage collector would delete everything in the store
          if (settings.storageUrl !== undefined || (await readdir(objectsDir)).length === 0) return;
          log(`There is no database for what is stored in ${objectsDir}: it is kept in ${await setAside(objectsDir)}`);
          await mkdir(objectsDir, { mode: 0o700 });
        },
        log,
      });
      await settleSecrets(secretsFile, secrets);
      log(`PostgreSQL is ready (embedded, port ${postgresPort})`);
    };
    const bus = async () => {
      if (settings.natsUrl !== undefined) return;
      const logFile = join(dataDir.logs, "nats.log");
      const command = await findNatsServer(env);
      signal.throwIfAborted();
      const { program, url } = embeddedNats({
        command,
        dir: join(dataDir.path, "nats"),
        configFile: join(dataDir.run, "nats.conf"),
        port: natsPort,
        password: secrets.natsPassword,
        logFile,
      });
      stack.natsUrl = url;
      const nats = (running.nats = run(program));
      noteState();
      await natsReady(url, { timeoutMs: backingReadyWithinMs, signal, giveUp: () => givenUp(nats, logFile), log });
      natsWatch = watchNats(url, { restart: () => nats.restart(), log });
      log(`NATS is ready (embedded, port ${natsPort})`);
    };
    if (settings.storageUrl === undefined) {
      await mkdir(objectsDir, { recursive: true, mode: 0o700 });
      stack.storageUrl = pathToFileURL(objectsDir).href;
    }
    await allOrFirstFault([database(), bus()]);
    log(await migrate(stack.databaseUrl, env, signal));

    if (services) {
      const plans = await planServices({
        env,
        settings,
        stack,
        gatewayPort,
        samplePort: await keptPort(join(dataDir.path, "sample-port")),
        backingPorts: [postgresPort, natsPort],
        secretKey,
        dataDir,
      });
      await allOrFirstFault(
        plans.map(async (plan) => {
          const worker = run(serviceProgram(plan));
          running.workers.push(worker);
          origins.set(plan.name, new URL(plan.readyUrl).origin);
          noteState();
          await serviceReady(plan, worker, signal, log);
          log(`${plan.name} is ready`);
        }),
      );
    }
    signal.throwIfAborted();
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    ...stack,
    stateFile,
    embedded: parts()
      .filter((part) => part.embedded && !running.workers.some((worker) => worker.name === part.name))
      .map((part) => part.name),
    parts,
    stop,
    kill() {
      stopNoting();
      for (const part of [...running.workers, running.nats, running.postgres]) part?.kill();
    },
  };
}

/** @param {import("./stack/supervise.mjs").Supervised} part @param {string} logFile */
function givenUp(part, logFile) {
  if (part.deaths() < deathsBeforeReadyMax) return undefined;
  return `${part.name} does not start (${part.lastEnd()}): ${lastLineOf(logFile) || "it says nothing"} (log: ${logFile})`;
}

/**
 * Waits for all promises. If one fails, it still waits for the others (so that nothing starts after we gave up), then the
 * first fault is thrown.
 * @param {Promise<unknown>[]} tasks
 */
async function allOrFirstFault(tasks) {
  /** @type {{ error: unknown } | undefined} */
  let first;
  await Promise.all(tasks.map((task) => task.catch((error) => (first ??= { error }))));
  if (first) throw first.error;
}
