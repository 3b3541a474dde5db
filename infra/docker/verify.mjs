// @ts-check
/**
 * Command: builds and starts the composed product from a clean clone, does the main job through its gateway with a site inside the network,
 * scales the fetchers, kills one of them and restarts NATS, PostgreSQL and the object store in the middle of a run, checks that nothing was lost or
 * doubled, backs it up, takes all volumes away and restores it by the commands of docs/operations.md, and removes everything. Needs a Docker engine with Compose.
 */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { siteCompose } from "./verify-site.mjs";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../..");
const pages = 300;
const { values: options } = parseArgs({ options: { here: { type: "boolean", default: false } } });

const folder = await mkdtemp(join(tmpdir(), "web-tester-verify-"));
const project = `web-tester-verify-${process.pid}`;
const tree = options.here ? root : join(folder, "clone");
const override = join(folder, "site.yml");
/** @type {NodeJS.ProcessEnv} */
const env = { ...process.env, COMPOSE_PROJECT_NAME: project, PORT: "0", EGRESS_ALLOW: "site", LOG_LEVEL: "warn" };
const startedAt = performance.now();

try {
  if (!options.here) await run("git", ["clone", "--quiet", "--no-hardlinks", root, tree]);
  await writeFile(override, siteCompose(pages));
  await step("docker compose up --build --wait", () => compose("up", "--build", "--wait", "--quiet-pull"));
  const address = await published();
  say(`The product answers at ${address}`);
  const id = await mainJob(address);
  await step("backup, all volumes gone, restore", () => loseAndRestore(address, id));
} catch (error) {
  process.exitCode = 1;
  say(`✗ ${error instanceof Error ? error.message : String(error)}`);
  const logs = await compose("logs", "--no-color", "--tail", "40").catch(() => "");
  process.stderr.write(logs.slice(-20_000));
} finally {
  await compose("down", "--volumes", "--remove-orphans", "--rmi", "local", "--timeout", "30").catch((error) => {
    process.exitCode = 1;
    say(`✗ removing everything failed: ${String(error)}`);
  });
  await rm(folder, { recursive: true, force: true });
}
const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
say(process.exitCode === 1 ? `Not verified, after ${seconds} s.` : `Verified in ${seconds} s; everything was removed.`);

async function published() {
  return `http://${(await compose("port", "gateway", "8080")).trim()}`;
}

/** @param {string} address @returns {Promise<string>} the id of the object */
async function mainJob(address) {
  const { id } = await call(address, "POST", "/api/testobjects", { name: "Site", url: "http://site:8000/" });
  await step(`crawl of ${pages} pages`, async () => {
    await call(address, "POST", `/api/testobjects/${id}/crawl`);
    expect("instances", (await ended(address, id, "crawl")).instances_total, pages);
  });
  await step("first fetch", () => fetchAll(address, id));
  await compose("exec", "-T", "site", "touch", "/tmp/changed");
  await step("second fetch", () => fetchAll(address, id));
  await step("what changed", async () => {
    const { items } = await call(address, "GET", `/api/testobjects/${id}/testinstances?limit=1000&status=changed`);
    expect("changed pages", items.length, 3);
    const diff = await call(
      address,
      "GET",
      `/api/diff/hunks?instance1=${items[0].id}&snapshot1=1&instance2=${items[0].id}&snapshot2=0`,
    );
    expect("lines added", diff.added, 1);
    expect("lines removed", diff.removed, 1);
  });
  await step("--scale fetcher=3", async () => {
    await compose("up", "--detach", "--wait", "--no-recreate", "--scale", "fetcher=3");
    expect("fetchers", (await containers("fetcher")).length, 3);
  });
  await step("a fetch with a fetcher killed, and NATS, PostgreSQL and the object store restarted", async () => {
    await call(address, "POST", `/api/testobjects/${id}/snapshot-all`);
    await reached(address, id, pages * 0.1);
    const [victim = ""] = await containers("fetcher");
    await run("docker", ["kill", "--signal", "KILL", victim]);
    for (const [part, done] of /** @type {const} */ ([
      ["nats", 0.2],
      ["postgres", 0.4],
      ["s3", 0.6],
    ])) {
      await reached(address, id, pages * done);
      const { completed } = (await objectOf(address, id)).progress.snapshotAll;
      await compose("restart", "--timeout", "10", part);
      say(`    ${part} restarted at ${completed} of ${pages}`);
    }
    const object = await ended(address, id, "snapshotAll");
    expect("completed", object.progress.snapshotAll.completed, pages);
    expect("failed", object.progress.snapshotAll.failed, 0);
  });
  await step("nothing lost, nothing doubled", () => checkRows(address, id));
  return id;
}

/** @param {string} address @param {string} id */
async function loseAndRestore(address, id) {
  await call(address, "PATCH", `/api/testobjects/${id}`, { auth_enabled: true, auth_password: "sealed" });
  const before = await told(address, id);
  const backup = join(folder, "backup");
  await mkdir(backup);
  await chmod(backup, 0o777); // the containers' user writes into it
  const migrate = (/** @type {string} */ entrypoint, /** @type {string[]} */ ...args) =>
    compose("run", "--rm", "--entrypoint", entrypoint, "--volume", `${backup}:/backup`, "migrate", ...args);
  const program = "services/backup/dist/main.js";
  const key = (await migrate("cat", "/keys/secret-key")).trim();
  await migrate("node", program, "backup", "/backup");
  await compose("down", "--volumes", "--timeout", "30");
  env["SECRET_KEY"] = key;
  const said = await migrate("node", program, "restore", "/backup");
  if (!said.includes("Restored the backup") || said.includes("WARNING")) throw new Error(`The restore said: ${said}`);
  await compose("up", "--detach", "--wait");
  expect("what the product tells", await told(await published(), id), before);
  // the files of the backup belong to the containers' user, who alone can remove them
  await migrate("sh", "-c", "rm -rf /backup/*");
}

/** @param {string} address @param {string} id @returns {Promise<string>} rows and texts, as the API tells them */
async function told(address, id) {
  const object = await objectOf(address, id);
  const list = await call(address, "GET", `/api/testobjects/${id}/testinstances?limit=1000`);
  const { testsnapshots } = await call(address, "GET", `/api/testinstances/${list.items[0].id}`);
  const texts = [];
  for (const { id: snapshot } of testsnapshots)
    texts.push(await call(address, "GET", `/api/testsnapshots/${snapshot}`));
  return JSON.stringify([object, list, texts]);
}

/** @param {string} address @param {string} id */
async function fetchAll(address, id) {
  await call(address, "POST", `/api/testobjects/${id}/snapshot-all`);
  const { progress } = await ended(address, id, "snapshotAll");
  expect("completed", progress.snapshotAll.completed, pages);
  expect("failed", progress.snapshotAll.failed, 0);
}

/** @param {string} address @param {string} id */
async function checkRows(address, id) {
  // comparisons are made after the snapshots
  await until(
    "all changes recorded",
    async () => (await sql("SELECT count(*) FROM change WHERE state <> 'done'")) === "0",
  );
  expect("unfinished snapshots", await sql("SELECT count(*) FROM test_snapshot WHERE state <> 'done'"), "0");
  expect("unfinished crawl pages", await sql("SELECT count(*) FROM crawl_page WHERE state <> 'done'"), "0");
  expect("running runs", await sql("SELECT count(*) FROM run WHERE state = 'running'"), "0");
  expect("snapshots", await sql("SELECT count(*) FROM test_snapshot"), String(3 * pages));
  const doubled = "SELECT 1 FROM test_snapshot GROUP BY run_id, test_instance_id HAVING count(*) > 1";
  expect("doubled snapshots", await sql(`SELECT count(*) FROM (${doubled}) AS twice`), "0");
  const wrong = `SELECT 1 FROM run r JOIN test_snapshot s ON s.run_id = r.id GROUP BY r.id
    HAVING r.completed <> count(*) OR r.total <> count(*) OR r.failed <> 0`;
  expect("wrong counters", await sql(`SELECT count(*) FROM (${wrong}) AS wrong`), "0");
  // a call that reads a snapshot verifies its bytes against their hash
  const { items } = await call(address, "GET", `/api/testobjects/${id}/testinstances?limit=1000`);
  for (const { id: instance } of items) {
    const { testsnapshots } = await call(address, "GET", `/api/testinstances/${instance}`);
    expect("snapshots of an instance", testsnapshots.length, 3);
    const { html } = await call(address, "GET", `/api/testsnapshots/${testsnapshots[0].id}`);
    if (!html.includes("<p>Page"))
      throw new Error(`The bytes of snapshot ${testsnapshots[0].id} are not those of the page`);
  }
}

/** @param {string} address @param {string} id @param {"crawl" | "snapshotAll"} kind */
function ended(address, id, kind) {
  return until(
    `the end of the ${kind}`,
    async () => {
      const object = await objectOf(address, id);
      const { running, total, completed } = object.progress[kind];
      return !running && total > 0 && completed === total ? object : undefined;
    },
    240_000,
  );
}

/** @param {string} address @param {string} id @param {number} completed */
function reached(address, id, completed) {
  return until(
    `${completed} pages`,
    async () => (await objectOf(address, id)).progress.snapshotAll.completed >= completed,
    240_000,
  );
}

/** @param {string} address @param {string} id */
function objectOf(address, id) {
  return call(address, "GET", `/api/testobjects/${id}`);
}

/** @param {string} address @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
async function call(address, method, path, body) {
  const response = await fetch(address + path, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

/** @param {string} service @returns {Promise<string[]>} ids of its running containers */
async function containers(service) {
  return (await compose("ps", "--quiet", "--status", "running", service)).split("\n").filter((line) => line !== "");
}

/** @param {string} query @returns {Promise<string>} */
async function sql(query) {
  const psql = [
    "psql",
    "--host",
    "127.0.0.1",
    "--username",
    "web_tester",
    "--dbname",
    "web_tester",
    "--tuples-only",
    "--no-align",
  ];
  const password = `PGPASSWORD=${env["POSTGRES_PASSWORD"] ?? "web-tester"}`;
  return (await compose("exec", "-T", "--env", password, "postgres", ...psql, "--command", query)).trim();
}

/** @param {string[]} args */
async function compose(...args) {
  const files = ["--file", join(tree, "docker-compose.yml"), "--file", override];
  const { stdout } = await run("docker", ["compose", "--project-directory", tree, ...files, ...args], {
    env,
    maxBuffer: 64 * 1024 * 1024,
    timeout: 1_500_000,
  }).catch((error) => {
    throw new Error(`docker compose ${args.join(" ")}: ${String(error.stderr).slice(-3_000) || error.message}`);
  });
  return stdout;
}

/**
 * Repeats `look` until it returns something. Its errors count only when the time is over: a part may just be restarting.
 * @template T
 * @param {string} what @param {() => Promise<T | undefined | false>} look @param {number} [timeoutMs]
 * @returns {Promise<T>}
 */
async function until(what, look, timeoutMs = 120_000) {
  const end = Date.now() + timeoutMs;
  /** @type {unknown} */
  let last;
  for (;;) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end)
      throw new Error(`${what} did not come within ${timeoutMs / 1000} s. ${last === undefined ? "" : String(last)}`);
    await sleep(250);
  }
}

/** @param {string} what @param {unknown} found @param {unknown} wanted */
function expect(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what}: ${String(found)} where ${String(wanted)} belong`);
}

/** @param {string} what @param {() => Promise<void | string>} act */
async function step(what, act) {
  const from = performance.now();
  await act();
  say(`✓ ${what} (${((performance.now() - from) / 1000).toFixed(1)} s)`);
}

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}
