// @ts-check
/**
 * Runs the product with a NATS cluster of three that replicates every message: one server is killed while pages are
 * fetched, then another one. Needs nothing beyond the project's own dependencies.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "@nats-io/transport-node";
import { jetstreamManager } from "@nats-io/jetstream";
import { messages } from "@web-tester/contracts/messages";
import { addressesOf } from "@web-tester/platform/bus/topology";
import { findNatsServer } from "../../infra/local/stack/nats.mjs";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { Report } from "../lib/report.mjs";
import { runner } from "../lib/runner.mjs";
import { serveSmallSite } from "../lib/small-site.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";
import { checkWhole } from "../lib/whole.mjs";

const pages = 600;
const signal = benchSignal(10 * 60_000);
const report = new Report(console.log);

const folder = await mkdtemp(join(tmpdir(), "web-tester-lab-"));
const site = await serveSmallSite(pages);
const servers = await startCluster();
try {
  const url = servers.map(({ port }) => `nats://127.0.0.1:${port}`).join(",");
  await withProduct({ signal, env: { NATS_URL: url, NATS_REPLICAS: "3" } }, async (product) => {
    report.begin("streams");
    const copies = await streamCopies(url);
    report.holds(
      "every stream has three copies",
      copies.length > 0 && copies.every(([, count]) => count === 3),
      copies.map(([name, count]) => `${name} ${count}`).join(", "),
    );
    const { id } = await product.rest.call("createTestObject", { body: { name: "Small site", url: site.url } });
    await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http" } });
    const run = runner(product, id, signal);
    report.begin("a crawl, one server killed in its middle and started again");
    await run("crawl", async () => {
      await someDone(product, "crawl_page", 100);
      await kill(0);
    });
    await start(0);
    report.begin("a fetch of all, the leader of its stream killed in its middle");
    const before = await consumersOf(url);
    const runId = await run("snapshotAll", async () => {
      await someDone(product, "test_snapshot", 100);
      const leader = await leaderOf(url, "WORK");
      report.log(`    killing ${leader}`);
      await kill(
        Math.max(
          0,
          servers.findIndex(({ name }) => name === leader),
        ),
      );
    });
    await checkWhole(report, product, product.database, runId, site);
    // the new leader may be behind for a moment: consumers that are ahead of it then have lost nothing
    report.sameSet("consumers, with the time they were made", before, await consumersOf(url), "none was made anew");
    report.begin("two of three gone: nothing is lost, and it goes on when one is back");
    site.edit(100);
    const gone = servers.flatMap(({ child }, at) => (child.exitCode === null && child.signalCode === null ? [at] : []));
    const second = gone[0] ?? 0;
    const next = await run("snapshotAll", async () => {
      await kill(second);
      await new Promise((resolve) => void setTimeout(resolve, 5_000));
      await start(second);
    });
    await checkWhole(report, product, product.database, next, site);
  });
} finally {
  await Promise.all(servers.map((_, at) => kill(at)));
  await site.close();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = report.passed ? 0 : 1;

async function startCluster() {
  const command = await findNatsServer(process.env);
  const ports = await freePorts(6);
  const routes = ports.slice(3).map((port) => `nats://127.0.0.1:${port}`);
  /** @type {{ name: string, port: number, config: string, command: string, child: import("node:child_process").ChildProcess }[]} */
  const made = [];
  for (let at = 0; at < 3; at++) {
    const name = `server-${at + 1}`;
    const config = join(folder, `${name}.conf`);
    await writeFile(
      config,
      `listen: "127.0.0.1:${ports[at]}"
server_name: "${name}"
jetstream { store_dir: ${JSON.stringify(join(folder, name))}, max_memory_store: 64MB, max_file_store: 1GB }
cluster { name: "lab", listen: "127.0.0.1:${ports[at + 3]}", routes: ${JSON.stringify(routes)} }
`,
    );
    made.push({ name, port: ports[at] ?? 0, config, command, child: launch(command, config) });
  }
  await waitFor(
    () =>
      withManager(made.map(({ port }) => `nats://127.0.0.1:${port}`).join(","), (manager) => manager.getAccountInfo())
        .then(() => true)
        .catch(() => undefined),
    { what: "the cluster has a leader", timeoutMs: 30_000, signal },
  );
  return made;
}

/** @param {string} command @param {string} config */
function launch(command, config) {
  return spawn(command, ["-c", config], { stdio: "ignore", signal, killSignal: "SIGKILL" }).on(
    "error",
    () => undefined,
  );
}

/** @param {number} at */
async function kill(at) {
  const child = servers[at]?.child;
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** @param {number} at */
async function start(at) {
  const server = servers[at];
  if (server !== undefined) server.child = launch(server.command, server.config);
}

/**
 * @template T
 * @param {string} url
 * @param {(manager: import("@nats-io/jetstream").JetStreamManager) => Promise<T>} use
 */
async function withManager(url, use) {
  const connection = await connect({ servers: url.split(","), timeout: 2_000, maxReconnectAttempts: 3 });
  try {
    return await use(await jetstreamManager(connection, { timeout: 5_000 }));
  } finally {
    await connection.close();
  }
}

/** @param {string} url @returns {Promise<[name: string, copies: number][]>} */
async function streamCopies(url) {
  return withManager(url, async (manager) => {
    /** @type {[string, number][]} */
    const found = [];
    for await (const { config } of manager.streams.list()) found.push([config.name, config.num_replicas]);
    return found;
  });
}

/**
 * Returns name and time of creation of each consumer of work. While servers come and go a list may time out or lack some.
 * @param {string} url
 */
async function consumersOf(url) {
  const names = /** @type {(keyof typeof messages)[]} */ (Object.keys(messages));
  const count = names.reduce((sum, name) => sum + addressesOf(name).length, 0);
  const list = async (/** @type {import("@nats-io/jetstream").JetStreamManager} */ manager) => {
    /** @type {Set<string>} */
    const found = new Set();
    for await (const { name, created } of manager.consumers.list("WORK")) found.add(`${name} ${created}`);
    return found.size < count ? undefined : found;
  };
  return waitFor(() => withManager(url, list).catch(() => undefined), {
    ...{ what: "the consumers are listed", timeoutMs: 120_000, everyMs: 500, signal },
  });
}

/** @param {string} url @param {string} stream */
async function leaderOf(url, stream) {
  return withManager(url, async (manager) => (await manager.streams.info(stream)).cluster?.leader ?? "nobody");
}

/** @param {import("../lib/stack.mjs").Product} product @param {"crawl_page" | "test_snapshot"} table @param {number} count */
async function someDone({ database }, table, count) {
  await waitFor(
    async () => {
      const { rows } = await database.query(`SELECT count(*)::int AS done FROM ${table} WHERE state = 'done'`);
      return rows[0].done >= count ? true : undefined;
    },
    { what: `${count} of ${table} are done`, timeoutMs: 120_000, everyMs: 20, signal },
  );
}
