// @ts-check
/** Measures snapshots per second with 1, 2 and 4 fetchers over 32 hosts that answer after 300 ms; database connections, and what limits next. */
import { parseArgs } from "node:util";
import { watchProcesses } from "../lib/processes.mjs";
import { markdownTable, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";
import { serveSlowHosts } from "./serve-slow-hosts.mjs";

const usage = `npm run bench -- scaling [--hosts 32] [--pages 640] [--answer-ms 300] [--fetchers 1,2,4]

For each number of fetchers starts the product anew, finds --pages pages on each of --hosts hosts of the loopback network, and fetches all of them
while every answer takes --answer-ms; the clock begins once all runs are queued, until then the hosts keep silent. Aims: twice the fetchers ≥ 1.9 times the snapshots per second, four times ≥ 3.6; no more database
connections than the processes may have (DATABASE_POOL and one each).`;

const { values } = parseArgs({
  options: {
    hosts: { type: "string", default: "32" },
    pages: { type: "string", default: "640" },
    "answer-ms": { type: "string", default: "300" },
    fetchers: { type: "string", default: "1,2,4" },
    help: { type: "boolean", default: false },
  },
});
const [hosts, pages, answerMs] = [values.hosts, values.pages, values["answer-ms"]].map(Number);
const counts = values.fetchers.split(",").map(Number);
if (values.help || !hosts || !pages || !answerMs || counts.some((count) => !(count >= 1 && count <= 16))) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

/** @typedef {{ fetchers: number, perSecond: number, inFlight: number, connections: number, allowed: number, busiest: string, cpu: number }} Figure */

const signal = benchSignal(20 * 60_000);
const report = new Report(console.log);
/** @type {Figure[]} */
const figures = [];
for (const fetchers of counts) figures.push(await measure(fetchers, hosts, pages, answerMs));

console.log(
  `\n${markdownTable(
    [
      "fetchers",
      "snapshots per second",
      "requests in flight at most",
      "connections (allowed)",
      "busiest part",
      "CPUs in all",
    ],
    figures.map((figure) => [
      String(figure.fetchers),
      figure.perSecond.toFixed(1),
      String(figure.inFlight),
      `${figure.connections} (${figure.allowed})`,
      figure.busiest,
      figure.cpu.toFixed(2),
    ]),
  )}\n`,
);
report.begin("aims");
const one = figures.find(({ fetchers }) => fetchers === 1)?.perSecond ?? Number.NaN;
for (const { fetchers, perSecond, connections, allowed } of figures) {
  report.below(`database connections with ${fetchers}`, allowed + 1, connections, "connections", { must: true });
  const aim = { 2: 1.9, 4: 3.6 }[fetchers];
  if (aim !== undefined)
    report.atLeast(`${fetchers} fetchers beside one`, aim, perSecond / one, "times", { digits: 2 });
}
process.exitCode = report.passed ? 0 : 1;

/**
 * @param {number} fetchers @param {number} hostCount @param {number} pageCount @param {number} afterMs
 * @returns {Promise<Figure>}
 */
async function measure(fetchers, hostCount, pageCount, afterMs) {
  report.begin(`${fetchers} fetchers`);
  process.env["FETCHERS"] = String(fetchers);
  let slow = false;
  /**
   * Resolves once all runs are queued: until then no host answers, then they answer the requests that wait at random
   * times, as in the middle of a run.
   */
  const silence = Promise.withResolvers();
  let isSilent = true;
  const site = await serveSlowHosts({
    hosts: hostCount,
    pages: pageCount,
    async answerAfterMs() {
      if (!slow || !isSilent) return slow ? afterMs : 0;
      await silence.promise;
      return Math.random() * afterMs;
    },
  });
  try {
    return await withProduct(
      { signal, log: (line) => console.log(`    ${line}`) },
      async ({ rest, database, parts }) => {
        const ids = [];
        for (const url of site.urls) {
          const { id } = await rest.call("createTestObject", { body: { name: url, url } });
          await rest.call("updateTestObject", { params: { id }, body: { asset_snapshots: false, fetch_mode: "http" } });
          await rest.call("crawl", { params: { id } });
          ids.push(id);
        }
        await waitFor(() => noRuns(database), { what: "the end of the crawls", timeoutMs: 300_000, signal });
        slow = true;
        site.mostInFlight();
        for (const id of ids) await rest.call("snapshotAll", { params: { id } });
        const watch = watchProcesses(parts);
        const began = performance.now();
        isSilent = false;
        silence.resolve(undefined);
        let connections = 0;
        await waitFor(
          async () => {
            const { rows } = await database.query(
              "SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name LIKE 'web-tester%'",
            );
            connections = Math.max(connections, rows[0].n);
            return noRuns(database);
          },
          { what: "the end of the fetches", timeoutMs: 600_000, everyMs: 100, signal },
        );
        const seconds = (performance.now() - began) / 1000;
        const use = watch.stop();
        const { rows } = await database.query("SELECT count(*)::int AS n FROM test_snapshot WHERE state = 'done'");
        report.equal("snapshots", hostCount * pageCount, rows[0].n);
        const [busiest] = use.toSorted((a, b) => b.cpuSeconds - a.cpuSeconds);
        return {
          fetchers,
          perSecond: rows[0].n / seconds,
          inFlight: site.mostInFlight(),
          connections,
          // gateway, crawler, differ and the fetchers: a pool of eight each, and one connection for the slots of hosts
          allowed: (3 + fetchers) * 9,
          busiest: `${busiest?.name} (${((100 * (busiest?.cpuSeconds ?? 0)) / seconds).toFixed(0)} % of a CPU)`,
          cpu: use.reduce((sum, part) => sum + part.cpuSeconds, 0) / seconds,
        };
      },
    );
  } finally {
    await site.close();
  }
}

/** @param {import("pg").Client} database */
async function noRuns(database) {
  const { rows } = await database.query("SELECT 1 FROM run WHERE state = 'running' LIMIT 1");
  return rows.length === 0 ? true : undefined;
}
