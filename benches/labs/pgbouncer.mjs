// @ts-check
/** Runs the product behind a real PgBouncer: pool modes that lose session locks are refused with a message, and pool_mode = session works. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const program = ["/usr/sbin/pgbouncer", "pgbouncer"].find((path) => {
  try {
    execFileSync(path, ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});
if (program === undefined) {
  console.error("There is no pgbouncer here: install it (Debian: apt-get install pgbouncer), then begin again.");
  process.exit(1);
}

const signal = benchSignal(5 * 60_000);
const report = new Report(console.log);
await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async ({ addresses, database }) => {
  for (const mode of /** @type {const} */ (["transaction", "statement", "session"])) {
    report.begin(`pool_mode = ${mode}`);
    await behindPooler(mode, addresses.DATABASE_URL, async (url) => {
      const { code, said } = await startService("fetcher", { ...addresses, DATABASE_URL: url });
      if (mode === "session") {
        report.equal("the fetcher", "started", said.includes('"Started"') ? "started" : said.slice(-400));
        const { rows } = await database.query(
          "SELECT 1 FROM pg_stat_activity WHERE application_name LIKE 'web-tester%'",
        );
        report.holds("connections of the product", rows.length > 0, String(rows.length));
      } else {
        report.equal("the fetcher ends with", 1, code ?? "nothing");
        report.holds(
          "and says what to do",
          said.includes("pool_mode = session"),
          /DATABASE_URL leads[^"\\]*/.exec(said)?.[0] ?? said.slice(-300),
        );
      }
      const migrated = await migrate(url);
      report.equal(
        "migrations are",
        mode === "session" ? "taken" : "refused",
        migrated.includes("pool_mode = session") ? "refused" : "taken",
      );
    });
  }
});
process.exitCode = report.passed ? 0 : 1;

/**
 * @param {string} mode
 * @param {string} databaseUrl
 * @param {(url: string) => Promise<void>} use
 */
async function behindPooler(mode, databaseUrl, use) {
  const target = new URL(databaseUrl);
  const [port = 0] = await freePorts(1);
  const folder = await mkdtemp(join(tmpdir(), "web-tester-lab-"));
  await chmod(folder, 0o755);
  const name = target.pathname.slice(1);
  const user = decodeURIComponent(target.username);
  const password = decodeURIComponent(target.password);
  await writeFile(join(folder, "users.txt"), `"${user}" "${password}"\n`, { mode: 0o644 });
  await writeFile(
    join(folder, "pgbouncer.ini"),
    `[databases]
${name} = host=${target.hostname} port=${target.port || 5432} dbname=${name} user=${user} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${join(folder, "users.txt")}
pool_mode = ${mode}
default_pool_size = 40
ignore_startup_parameters = extra_float_digits,options
`,
    { mode: 0o644 },
  );
  const isRoot = process.getuid?.() === 0;
  const pooler = spawn(program ?? "", [...(isRoot ? ["-u", "nobody"] : []), "-q", join(folder, "pgbouncer.ini")], {
    stdio: ["ignore", "inherit", "inherit"],
    signal,
    killSignal: "SIGKILL",
  });
  pooler.on("error", () => undefined);
  const ended = once(pooler, "exit");
  try {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${port}`;
    await waitFor(() => answers(port), { what: "pgbouncer", timeoutMs: 10_000, signal });
    await use(url.href);
  } finally {
    pooler.kill("SIGKILL");
    await ended.catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {number} port @returns {Promise<true | undefined>} */
async function answers(port) {
  const { connect } = await import("node:net");
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(undefined));
  });
}

/**
 * Starts a service, and ends it if it did start.
 * @param {string} service
 * @param {Record<string, string>} env
 * @returns {Promise<{ code: number | null, said: string }>}
 */
async function startService(service, env) {
  const main = fileURLToPath(new URL(`../../services/${service}/dist/main.js`, import.meta.url));
  return run([main], env, '"Started"');
}

/** @param {string} url */
async function migrate(url) {
  const main = fileURLToPath(new URL("../../packages/records/dist/schema/prepare.js", import.meta.url));
  return (await run([main], { DATABASE_URL: url }, null)).said;
}

/**
 * @param {readonly string[]} args
 * @param {Record<string, string>} env
 * @param {string | null} enough what ends the process once it says it
 * @returns {Promise<{ code: number | null, said: string }>}
 */
async function run(args, env, enough) {
  const child = spawn(process.execPath, [...args], {
    env: { ...process.env, SECRET_KEY: "0".repeat(64), MODE: "cluster", LOG_LEVEL: "info", ...env },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    killSignal: "SIGKILL",
  });
  let said = "";
  const take = (/** @type {Buffer} */ chunk) => {
    said += chunk.toString();
    if (enough !== null && said.includes(enough)) child.kill("SIGTERM");
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const timer = setTimeout(() => child.kill("SIGKILL"), 30_000);
  const [code] = await once(child, "close");
  clearTimeout(timer);
  return { code: typeof code === "number" ? code : null, said };
}
