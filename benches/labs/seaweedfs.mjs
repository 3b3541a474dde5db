// @ts-check
/**
 * Runs the product on a real SeaweedFS as object store: the contract suite, a product of 1,500 pages, its server killed, a
 * backup and a restore. Needs weed (WEED names it).
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { ensureBucket } from "@web-tester/platform/object-store/bucket-driver";
import { parseStorageUrl } from "@web-tester/platform/object-store/storage-url";
import { openObjectStore } from "@web-tester/platform/object-store/open-object-store";
import { Report } from "../lib/report.mjs";
import { runner } from "../lib/runner.mjs";
import { serveSmallSite } from "../lib/small-site.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";
import { checkWhole } from "../lib/whole.mjs";

const weed = process.env["WEED"] ?? "weed";
try {
  execFileSync(weed, ["version"], { stdio: "ignore" });
} catch {
  console.error(
    "There is no weed here: take a release of SeaweedFS, or build it (a Go module that requires github.com/seaweedfs/seaweedfs, then go build github.com/seaweedfs/seaweedfs/weed), name it by WEED where it is not on the PATH, then begin again.",
  );
  process.exit(1);
}

/** More objects than fit in one page of a listing. */
const pages = 1_500;
const root = fileURLToPath(new URL("../..", import.meta.url));
const key = { AWS_ACCESS_KEY_ID: "lab", AWS_SECRET_ACCESS_KEY: "lab-secret" };
const credentials = { accessKeyId: key.AWS_ACCESS_KEY_ID, secretAccessKey: key.AWS_SECRET_ACCESS_KEY };
const signal = benchSignal(15 * 60_000);
const report = new Report(console.log);

const folder = await mkdtemp(join(tmpdir(), "web-tester-lab-"));
const site = await serveSmallSite(pages);
const server = await startServer();
try {
  report.begin("the suite of the object store");
  const said = await run(process.execPath, ["infra/local/run-tests.mjs", "packages/platform/src/object-store"], {
    ...key,
    TEST_S3_ENDPOINT: server.endpoint,
  });
  // SeaweedFS creates a bucket at the first write of an admin, so the message about a missing bucket cannot be tested there
  const failed = new Set(Array.from(said.matchAll(/● .* › (.*)/g), ([, name = ""]) => name));
  failed.delete("says what to do when the bucket is not there");
  report.equal("tests that fail, but for the one of a missing bucket", 0, failed.size);
  report.holds("its last line", /^2\d\d passed, [01] failed/m.test(said), said.trim().split("\n").at(-1) ?? "nothing");

  Object.assign(process.env, key);
  const storage = `s3://lab-pages/some/prefix?endpoint=${server.endpoint}&region=us-east-1&forcePathStyle=true`;
  const restored = storage.replace("lab-pages", "lab-restored");
  for (const url of [storage, restored]) await makeBucket(url);
  await withProduct({ signal, env: { ...key, STORAGE_URL: storage } }, async (product) => {
    const { id } = await product.rest.call("createTestObject", { body: { name: "Small site", url: site.url } });
    await product.rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http" } });
    const go = runner(product, id, signal);
    await go("crawl");
    report.begin("a fetch of all, the server killed in its middle and started again");
    const runId = await go("snapshotAll", async () => {
      await waitFor(
        async () => {
          const { rows } = await product.database.query(
            "SELECT count(*)::int AS done FROM test_snapshot WHERE state = 'done'",
          );
          return rows[0].done >= 200 ? true : undefined;
        },
        { what: "200 pages are done", timeoutMs: 120_000, everyMs: 20, signal },
      );
      await server.kill();
      await server.start();
    });
    await checkWhole(report, product, product.database, runId, site);
    report.begin("what the bucket lists");
    const store = openObjectStore(storage, credentials);
    const listed = new Set();
    for await (const { hash } of store.list()) listed.add(hash.toString("hex"));
    const { rows } = await product.database.query("SELECT encode(hash, 'hex') AS hash FROM content WHERE stored");
    report.equal("contents that the bucket does not list", 0, rows.filter(({ hash }) => !listed.has(hash)).length);
    report.holds("objects, more than one listing has", listed.size > 1_000, String(listed.size));
    report.begin("a backup, twice");
    const backup = join(folder, "backup");
    const env = { ...key, DATABASE_URL: product.addresses.DATABASE_URL, STORAGE_URL: storage };
    for (const _ of [1, 2]) {
      const told = await run(process.execPath, ["services/backup/dist/main.js", "backup", backup], env);
      report.holds("it ends with", told.includes("Backed up"), told.trim().split("\n").at(-1) ?? "nothing");
    }
    report.begin("restored into another bucket");
    await product.database.query("CREATE DATABASE lab_restored");
    const other = new URL(product.addresses.DATABASE_URL);
    other.pathname = "/lab_restored";
    const told = await run(process.execPath, ["services/backup/dist/main.js", "restore", backup], {
      ...key,
      DATABASE_URL: other.href,
      STORAGE_URL: restored,
    });
    report.log(`    ${told.trim().split("\n").at(-1)}`);
    await withProduct({ signal, env: { ...key, DATABASE_URL: other.href, STORAGE_URL: restored } }, async (second) => {
      await checkWhole(report, second, second.database, runId, site);
    });
  });
} finally {
  await server.kill();
  await site.close();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = report.passed ? 0 : 1;

/** Starts one process with all parts of SeaweedFS: master, volumes, filer and the S3 API. */
async function startServer() {
  const [s3 = 0, ...others] = await freePorts(8);
  const config = join(folder, "s3.json");
  const data = join(folder, "weed");
  await mkdir(data);
  const accepted = [{ accessKey: credentials.accessKeyId, secretKey: credentials.secretAccessKey }];
  await writeFile(
    config,
    JSON.stringify({
      identities: [{ name: "lab", credentials: accepted, actions: ["Admin", "Read", "Write", "List", "Tagging"] }],
    }),
  );
  const parts = [
    "master.port",
    "master.port.grpc",
    "volume.port",
    "volume.port.grpc",
    "filer.port",
    "filer.port.grpc",
    "s3.port.grpc",
  ];
  const args = [
    "server",
    ...[`-dir=${data}`, "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3", `-s3.port=${s3}`, `-s3.config=${config}`],
    ...["-master.volumeSizeLimitMB=100", "-volume.max=2000"],
    ...parts.map((part, at) => `-${part}=${others[at]}`),
  ];
  const endpoint = `http://127.0.0.1:${s3}`;
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let child;
  async function start() {
    child = spawn(weed, args, { cwd: folder, stdio: "ignore", signal, killSignal: "SIGKILL" }).on(
      "error",
      () => undefined,
    );
    await waitFor(
      () =>
        fetch(endpoint).then(
          () => /** @type {const} */ (true),
          () => undefined,
        ),
      {
        what: "SeaweedFS answers",
        timeoutMs: 60_000,
        signal,
      },
    );
  }
  await start();
  return {
    endpoint,
    start,
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** @param {string} url */
async function makeBucket(url) {
  const location = parseStorageUrl(url);
  if (location.kind === "bucket") await ensureBucket(location, credentials);
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {Record<string, string>} env
 */
async function run(command, args, env) {
  const child = spawn(command, [...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  });
  let said = "";
  child.stdout.on("data", (chunk) => (said += String(chunk)));
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  const [code] = await once(child, "close");
  if (code !== 0) report.log(said.slice(-2_000));
  return said;
}
