// @ts-check
/**
 * Runs the product on PostgreSQL with a synchronous standby: the first server is killed while pages are fetched, and the
 * standby takes its place. Needs nothing beyond the project's own dependencies.
 */
import { once } from "node:events";
import { appendFile, chmod, cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { databaseReady, embeddedPostgres, findBinaries } from "../../infra/local/stack/postgres.mjs";
import { migrate } from "../../infra/local/stack/services.mjs";
import { Report } from "../lib/report.mjs";
import { runner } from "../lib/runner.mjs";
import { serveSmallSite } from "../lib/small-site.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { openGate } from "../lib/tcp-gate.mjs";
import { waitFor } from "../lib/wait-for.mjs";
import { checkWhole } from "../lib/whole.mjs";

const pages = 600;
const password = "lab";
const signal = benchSignal(10 * 60_000);
const report = new Report(console.log);

const folder = await mkdtemp(join(tmpdir(), "web-tester-lab-"));
await chmod(folder, 0o711); // PostgreSQL runs as another user where we are root
const site = await serveSmallSite(pages);
/** @type {import("node:child_process").ChildProcess[]} */
const running = [];
try {
  const first = await startServer("first");
  await ready(first);
  await migrate(first.url, { PATH: process.env["PATH"] }, signal);
  const standby = await startStandby(first);
  const gate = await openGate(first.port);
  const address = new URL(first.url);
  address.port = String(gate.port);
  const pool = new pg.Pool({ connectionString: address.href, max: 2, connectionTimeoutMillis: 2_000 });
  pool.on("error", () => undefined);
  try {
    await withProduct({ signal, env: { DATABASE_URL: address.href } }, async ({ rest }) => {
      const product = { rest, database: /** @type {pg.Client} */ (/** @type {unknown} */ (pool)) };
      const { id } = await rest.call("createTestObject", { body: { name: "Small site", url: site.url } });
      await rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http" } });
      const run = runner(product, id, signal);
      await run("crawl");
      report.begin("a fetch of all, its server killed in its middle, the standby promoted");
      let killedAt = 0;
      const runId = await run("snapshotAll", async () => {
        await waitFor(
          async () => {
            const { rows } = await pool.query("SELECT count(*)::int AS done FROM test_snapshot WHERE state = 'done'");
            return rows[0].done >= 100 ? true : undefined;
          },
          { what: "100 pages are done", timeoutMs: 60_000, everyMs: 20, signal },
        );
        killedAt = performance.now();
        first.child.kill("SIGKILL");
        await once(first.child, "exit");
        await promote(standby);
        gate.lead(standby.port);
      });
      report.log(`    the run ended ${((performance.now() - killedAt) / 1000).toFixed(1)} s after the kill`);
      await checkWhole(report, product, pool, runId, site);
      report.begin("the next fetch, on the new server");
      site.edit(100);
      const next = await run("snapshotAll");
      await checkWhole(report, product, pool, next, site);
      const { rows } = await pool.query(
        "SELECT count(*)::int AS changed FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id WHERE s.run_id = $1 AND c.kind = 'changed'",
        [next],
      );
      report.equal("pages that changed", 100, rows[0].changed);
    });
  } finally {
    await pool.end();
    await gate.close();
  }
} finally {
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, "exit");
    child.kill("SIGQUIT");
    await ended;
  }
  await site.close();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = report.passed ? 0 : 1;

/** @typedef {{ url: string, port: number, dir: string, child: import("node:child_process").ChildProcess, isServing: () => Promise<boolean> }} Server */

/** @param {string} name @returns {Promise<Server>} */
async function startServer(name) {
  const [port = 0] = await freePorts(1);
  const dir = join(folder, name);
  const { program, url, isServing } = await embeddedPostgres({
    binaries: await findBinaries(),
    dir,
    port,
    password,
    isPasswordNew: false,
    connections: 150,
    logFile: join(folder, `${name}.log`),
    log: () => undefined,
  });
  const child = program.spawn();
  running.push(child);
  return { url, port, dir, child, isServing };
}

/** @param {Server} server */
async function ready({ url, isServing }) {
  await databaseReady(url, {
    timeoutMs: 30_000,
    signal,
    giveUp: () => undefined,
    isServing,
    beforeNew: () => Promise.resolve(),
    log: console.log,
  });
}

/**
 * Starts a copy of the first server that follows it; from then on the first one acknowledges nothing that the copy has not written.
 * @param {Server} first
 * @returns {Promise<Server>}
 */
async function startStandby(first) {
  await appendFile(join(first.dir, "pg_hba.conf"), "\nhost replication all 127.0.0.1/32 scram-sha-256\n");
  const client = await connectTo(first.url);
  try {
    await client.query("SELECT pg_reload_conf()");
    await client.query("SELECT pg_backup_start('lab', true)");
    const dir = join(folder, "standby");
    // the server goes on writing: a file may vanish while it is copied, and the write-ahead log repairs files that changed
    // during the copy
    const left = /\/(postmaster\.(pid|opts)|pg_replslot\/.*|pgsql_tmp.*)$/;
    await cp(first.dir, dir, { recursive: true, preserveTimestamps: true, filter: (path) => !left.test(path) });
    const { rows } = await client.query("SELECT labelfile FROM pg_backup_stop(false)");
    await cp(join(first.dir, "pg_wal"), join(dir, "pg_wal"), { recursive: true, force: true });
    await writeFile(join(dir, "backup_label"), rows[0].labelfile);
    await writeFile(join(dir, "standby.signal"), "");
    const from = new URL(first.url);
    await appendFile(
      join(dir, "postgresql.auto.conf"),
      `\nprimary_conninfo = 'host=127.0.0.1 port=${from.port} user=${from.username} password=${password} application_name=standby'\n`,
    );
    const standby = await startServer("standby");
    await waitFor(
      async () => {
        const { rows: following } = await client.query("SELECT 1 FROM pg_stat_replication WHERE state = 'streaming'");
        return following.length > 0 ? true : undefined;
      },
      { what: "the standby follows", timeoutMs: 60_000, signal },
    );
    await client.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await client.query("SELECT pg_reload_conf()");
    return standby;
  } finally {
    await client.end();
  }
}

/** @param {Server} standby */
async function promote({ url }) {
  const client = await connectTo(url);
  await client.query("SELECT pg_promote(true, 60)");
  await client.query("ALTER SYSTEM SET synchronous_standby_names = ''");
  await client.query("SELECT pg_reload_conf()");
  await client.end();
}

/** @param {string} url */
async function connectTo(url) {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  return client;
}
