// @ts-check
import { spawn } from "node:child_process";
import { programOf } from "../../infra/local/bundled.mjs";

/** @typedef {"gateway" | "crawler" | "fetcher" | "differ"} ServiceName */
/** @typedef {{ code: number | null, signal: NodeJS.Signals | null, seconds: number }} End how a process ended, and how long after SIGTERM */

/**
 * One more process of a service beside a running stack, as a container would run it.
 * @typedef {object} Replica
 * @property {ServiceName} service
 * @property {string} origin where it answers `/readyz`
 * @property {() => Promise<End>} terminate sends SIGTERM and waits for the end
 * @property {() => Promise<void>} start starts it again; resolves when it is ready
 */

/** A machine that is busy with other work may be very slow. */
const readyWithinMs = 180_000;

/**
 * @param {ServiceName} service
 * @param {number} port a free one
 * @param {NodeJS.ProcessEnv} env of the product: addresses of database, bus and store
 * @returns {Promise<Replica>} when it is ready
 */
export async function startReplica(service, port, env) {
  const origin = `http://127.0.0.1:${port}`;
  const program = programOf(`services/${service}/dist/main.js`);
  /** @type {import("node:child_process").ChildProcess} */
  let child;

  async function start() {
    // the gateway serves its health checks on its main port
    const ports = service === "gateway" ? { PORT: String(port) } : { HEALTH_PORT: String(port) };
    child = spawn(process.execPath, ["--enable-source-maps", program], {
      env: { ...env, MODE: "cluster", HOST: "127.0.0.1", ...ports },
      stdio: ["ignore", "ignore", "inherit"],
    });
    const started = child;
    process.once("exit", () => started.kill("SIGKILL"));
    const end = Date.now() + readyWithinMs;
    while (!(await isReady(origin))) {
      if (Date.now() > end || child.exitCode !== null) throw new Error(`${service} does not become ready`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  await start();
  return {
    service,
    origin,
    start,
    async terminate() {
      const startedAt = performance.now();
      /** @type {Promise<{ code: number | null, signal: NodeJS.Signals | null }>} */
      const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve({ code, signal })));
      child.kill("SIGTERM");
      return { ...(await ended), seconds: (performance.now() - startedAt) / 1000 };
    },
  };
}

/** @param {string} origin */
async function isReady(origin) {
  try {
    return (await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(3_000) })).ok;
  } catch {
    return false;
  }
}
