// @ts-check
/** Ends services by SIGTERM under load, 50 times: how long each takes to exit, requests that failed, snapshots lost or doubled. */
import { createServer } from "node:http";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { isCount, readWords } from "../lib/read-words.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { startHttpLoad } from "./http-load.mjs";
import { startReplica } from "./replica.mjs";

// each start of a replica adds a listener for the exit of this process
process.setMaxListeners(0);
const usage = `npm run bench -- sigterm [times]

Ends the services of a product by SIGTERM so often (50), one after the other, while pages are fetched and clients ask, and starts each anew.`;
const times = Number(readWords(usage, isCount)[0] ?? 50);
const sites = 4;
const pages = 100;
const pageMs = 60;
const endsWithinSeconds = 30;

// the replicas do the work, so the stack starts no crawler or fetcher
Object.assign(process.env, {
  CRAWLERS: "0",
  FETCHERS: "0",
  LOG_LEVEL: "warn",
  EGRESS_PRIVATE: "own-host",
  SECRET_KEY: "5e".repeat(32),
});
const signal = benchSignal(1_800_000);
const { origins, close } = await startSites();
try {
  await withProduct({ signal, secretKey: "5e".repeat(32) }, measure);
} finally {
  close();
}

/** @param {import("../lib/stack.mjs").Product} product */
async function measure(product) {
  const services = /** @type {const} */ (["gateway", "gateway", "fetcher", "fetcher", "crawler", "differ"]);
  const ports = await freePorts(services.length);
  const env = { ...process.env, ...product.addresses, LEASE_MS: undefined };
  const replicas = await Promise.all(services.map((service, index) => startReplica(service, ports[index] ?? 0, env)));
  const ids = await Promise.all(
    origins.map(
      async (url, index) => (await product.rest.call("createTestObject", { body: { name: `Site ${index}`, url } })).id,
    ),
  );
  for (const id of ids) await product.rest.call("crawl", { params: { id } });
  await idle(product);
  process.stderr.write(`${sites} sites are crawled\n`);

  const load = startHttpLoad({
    origins: replicas.filter(({ service }) => service === "gateway").map(({ origin }) => origin),
    path: () =>
      `/api/testobjects/${ids[Math.floor(Math.random() * ids.length)]}${Math.random() < 0.5 ? "/testinstances?limit=20&offset=0" : ""}`,
    clients: 8,
  });
  const work = keepBusy(product, ids);
  /** @type {Map<string, number[]>} */
  const seconds = new Map();
  /** @type {string[]} */
  const faults = [];
  for (let round = 0; round < times;) {
    // never both of a pair, as one must remain to answer
    const group = replicas.filter((_, index) => index % 2 === Math.floor(round / 3) % 2).slice(0, times - round);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await Promise.all(
      group.map(async (replica) => {
        const end = await replica.terminate();
        seconds.set(replica.service, [...(seconds.get(replica.service) ?? []), end.seconds]);
        if (end.code !== 0 || end.seconds > endsWithinSeconds)
          faults.push(`${replica.service} ended with ${end.signal ?? end.code} after ${end.seconds.toFixed(1)} s`);
        await replica.start();
      }),
    );
    round += group.length;
    const { answered, failed } = load.report;
    process.stderr.write(`${round} of ${times}; ${answered} requests answered, ${failed.length} failed\n`);
  }
  const runs = await work.stop();
  const report = await load.stop();
  await idle(product);
  faults.push(...report.failed, ...(await rowFaults(product)));
  await Promise.all(replicas.map((replica) => replica.terminate()));

  process.stdout.write(`SIGTERM ${times} times, while ${runs} fetches of ${pages} pages and 8 clients went on\n`);
  for (const [service, found] of seconds)
    process.stdout.write(
      `  ${service.padEnd(8)} ${String(found.length).padStart(3)} times   median ${middle(found).toFixed(2)} s   longest ${Math.max(...found).toFixed(2)} s\n`,
    );
  process.stdout.write(
    `  requests answered ${report.answered}, sent to another server at once ${report.movedOn}, failed ${report.failed.length}\n`,
  );
  const [{ snapshots } = { snapshots: 0 }] = (
    await product.database.query(`SELECT count(*)::int AS snapshots FROM test_snapshot`)
  ).rows;
  process.stdout.write(`  snapshots ${snapshots}; faults: ${faults.length === 0 ? "none" : ""}\n`);
  for (const fault of new Set(faults)) process.stdout.write(`    ${fault}\n`);
  if (faults.length > 0) process.exitCode = 1;
}

/**
 * Fetches all sites repeatedly, with a crawl after every third fetch.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {readonly string[]} ids
 */
function keepBusy(product, ids) {
  let stopping = false;
  let runs = 0;
  const loops = ids.map(async (id) => {
    while (!stopping) {
      await product.rest.call("snapshotAll", { params: { id } });
      runs += 1;
      if (runs % 3 === 0) await product.rest.call("crawl", { params: { id } });
      await ended(product, id);
    }
  });
  return {
    async stop() {
      stopping = true;
      await Promise.all(loops);
      return runs;
    },
  };
}

/** @param {import("../lib/stack.mjs").Product} product @param {string} id */
async function ended({ rest }, id) {
  for (;;) {
    const object = await rest.call("getTestObject", { params: { id } });
    if (!("progress" in object) || !Object.values(object.progress).some(({ running }) => running)) return;
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** @param {import("../lib/stack.mjs").Product} product */
async function idle({ database }) {
  for (;;) {
    const { rows } = await database.query(
      `SELECT 1 FROM run WHERE state = 'running' UNION ALL SELECT 1 FROM change WHERE state <> 'done' LIMIT 1`,
    );
    if (rows.length === 0) return;
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/**
 * Returns the faults in the database, such as snapshots that are lost, doubled or failed, as sentences.
 * @param {import("../lib/stack.mjs").Product} product
 */
async function rowFaults({ database }) {
  const looks = {
    "snapshots not done": `SELECT 1 FROM test_snapshot WHERE state <> 'done'`,
    "crawl pages not done": `SELECT 1 FROM crawl_page WHERE state <> 'done'`,
    "doubled snapshots": `SELECT 1 FROM test_snapshot GROUP BY run_id, test_instance_id HAVING count(*) > 1`,
    "runs whose counters are wrong": `SELECT 1 FROM run r JOIN test_snapshot s ON s.run_id = r.id GROUP BY r.id
      HAVING r.completed <> count(*) OR r.total <> count(*) OR r.failed <> 0 OR count(*) <> ${pages}`,
    "contents that are not stored": `SELECT 1 FROM content WHERE NOT stored`,
  };
  const faults = [];
  for (const [what, sql] of Object.entries(looks)) {
    const { rows } = await database.query(sql);
    if (rows.length > 0) faults.push(`${rows.length} ${what}`);
  }
  return faults;
}

/** @returns {Promise<{ origins: string[], close: () => void }>} */
async function startSites() {
  const names = Array.from({ length: pages - 1 }, (_, index) => `/p${index}.html`);
  const servers = await Promise.all(
    Array.from({ length: sites }, async () => {
      let served = 0;
      const server = createServer((request, response) => {
        setTimeout(() => {
          const isRoot = request.url === "/";
          if (!isRoot && !names.includes(request.url ?? "")) return response.writeHead(404).end();
          const links = isRoot ? names.map((name) => `<a href="${name}">x</a>`).join("\n") : "";
          // every fourth answer has a new text, so that there is something to compare
          const text = ++served % 4 === 0 ? `turn ${served}` : "as ever";
          return response
            .writeHead(200, { "content-type": "text/html" })
            .end(`<!doctype html><title>${request.url}</title>\n<p>${text}\n${links}`);
        }, pageMs);
      });
      await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
      return server;
    }),
  );
  return {
    origins: servers.map((server) => {
      const address = server.address();
      return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/`;
    }),
    close: () => servers.forEach((server) => server.close().closeAllConnections()),
  };
}

/** @param {readonly number[]} numbers */
function middle(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
