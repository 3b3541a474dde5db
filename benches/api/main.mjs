// @ts-check
/**
 * Compares read routes with those of a bare NestJS and pg server, in requests per CPU second while a crawl runs, and
 * serves 1,000 subscribers of one object.
 */
import { fork, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openBus } from "@web-tester/platform/bus/open-bus";
import { watchProcesses } from "../lib/processes.mjs";
import { markdownTable, median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { waitFor } from "../lib/wait-for.mjs";
import { serveSlowHosts } from "../scaling/serve-slow-hosts.mjs";
import { ask } from "./load.mjs";

const usage = `npm run bench -- api [--runs 3] [--seconds 4] [--connections 32] [--subscribers 1000]

Asks each read route of the product, and a bare NestJS route with one statement over the same tables, in turn for --seconds over --connections
connections while the product crawls; prints medians of --runs. Aims: ≥ 60 % of the bare route in requests per CPU second of the serving process,
p99 ≤ 50 ms. Then has 100 events a second (progress of two runs, pages that changed) told to --subscribers: each gets 10 a second at most and
misses no change, the gateway takes ≤ 10 % of a core.`;
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "3" },
    seconds: { type: "string", default: "4" },
    connections: { type: "string", default: "32" },
    subscribers: { type: "string", default: "1000" },
    help: { type: "boolean", default: false },
  },
});
const [runs = 0, seconds = 0, connections = 0, subscribers = 0] = [
  values.runs,
  values.seconds,
  values.connections,
  values.subscribers,
].map(Number);
if (values.help || !(runs > 0 && seconds > 0 && connections > 0 && subscribers > 0)) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

const signal = benchSignal(30 * 60_000);
const apiToken = randomUUID();
const report = new Report(console.log);
const site = await serveSlowHosts({ hosts: 1, pages: 200, answerAfterMs: () => 20 });
const [url = ""] = site.urls;
try {
  await withProduct({ signal, apiToken, log: (line) => console.log(`    ${line}`) }, async (product) => {
    const { id } = await product.rest.call("createTestObject", { body: { name: "Read", url } });
    await product.rest.call("updateTestObject", {
      params: { id },
      body: { asset_snapshots: false, fetch_mode: "http" },
    });
    const ended = () =>
      waitFor(
        async () => {
          const { items } = await product.rest.call("listRuns", { params: { id } });
          return items.every((run) => run.state !== "running") || undefined;
        },
        { what: "the end of the run", timeoutMs: 300_000, signal },
      );
    await product.rest.call("crawl", { params: { id } });
    await ended();
    await product.rest.call("snapshotAll", { params: { id } });
    await ended();
    await measureRoutes(product, id);
    await measureSubscribers(product, id);
  });
} finally {
  await site.close();
}
process.exitCode = report.passed ? 0 : 1;

/** @param {import("../lib/stack.mjs").Product} product @param {string} id */
async function measureRoutes(product, id) {
  const { items } = await product.rest.call("listTestInstances", { params: { id }, query: { limit: connections } });
  const instanceId = items[0]?.id ?? "";
  // the bare route gives the same answer, the page included, from the database alone
  await product.database.query("CREATE TABLE bench_page (snapshot_id uuid PRIMARY KEY, html text NOT NULL)");
  const snapshotIds = [];
  for (const item of items) {
    const { testsnapshots } = await product.rest.call("getTestInstance", { params: { id: item.id } });
    const snapshotId = testsnapshots[0]?.id ?? "";
    const snapshot = await product.rest.call("getTestSnapshot", { params: { id: snapshotId } });
    if (Array.isArray(snapshot)) throw new Error("The snapshot has disappeared");
    await product.database.query("INSERT INTO bench_page VALUES ($1, $2)", [snapshotId, snapshot.html]);
    snapshotIds.push(snapshotId);
  }
  /** @type {[name: string, ours: string[], bare: string[]][]} */
  const routes = [
    ["objects", ["/api/testobjects"], [`/objects/${id}`]],
    ["object", [`/api/testobjects/${id}`], [`/object/${id}`]],
    ["instances", [`/api/testobjects/${id}/testinstances?limit=20&offset=0`], [`/instances/${id}`]],
    ["instance", [`/api/testinstances/${instanceId}`], [`/instance/${instanceId}`]],
    // equal requests share an answer, different ones share only a statement
    [
      "instance, each connection another",
      items.map((item) => `/api/testinstances/${item.id}`),
      items.map((item) => `/instance/${item.id}`),
    ],
    ["snapshot", [`/api/testsnapshots/${snapshotIds[0]}`], [`/snapshot/${snapshotIds[0]}`]],
    [
      "snapshot, each connection another",
      snapshotIds.map((snapshotId) => `/api/testsnapshots/${snapshotId}`),
      snapshotIds.map((snapshotId) => `/snapshot/${snapshotId}`),
    ],
    ["runs", [`/api/testobjects/${id}/runs`], [`/runs/${id}`]],
  ];
  const bare = spawn(process.execPath, [fileURLToPath(new URL("bare.mjs", import.meta.url))], {
    env: { ...process.env, DATABASE_URL: product.addresses.DATABASE_URL, NODE_ENV: "production" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  /** @type {Map<string, { ours: number[], bare: number[], p99: number[] }>} */
  const seen = new Map(routes.map(([name]) => [name, { ours: [], bare: [], p99: [] }]));
  const stopCrawling = new AbortController();
  try {
    const [port] = await once(bare.stdout, "data", { signal });
    const origin = `http://127.0.0.1:${String(port).trim()}`;
    const crawling = crawlOn(product, stopCrawling.signal);
    const parts = () => [...product.parts(), { name: "bare", pid: bare.pid ?? 0 }];
    for (let run = 0; run <= runs; run++) {
      report.begin(run === 0 ? "warming up" : `round ${run} of ${runs}`);
      for (const [name, ours, other] of routes) {
        for (const [who, urls] of /** @type {const} */ ([
          ["bare", other.map((path) => origin + path)],
          ["gateway", ours.map((path) => product.address + path)],
        ])) {
          const watch = watchProcesses(parts);
          const headers = { authorization: `Bearer ${apiToken}` };
          const { answered, p50, p99 } = await ask({ urls, headers, connections, seconds });
          const cpu = watch.stop().find((part) => part.name === who)?.cpuSeconds ?? Number.NaN;
          report.log(
            `  ${name}, ${who}: ${(answered / cpu).toFixed(0)} per CPU second, ${(answered / seconds).toFixed(0)} a second, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
          );
          const figures = seen.get(name);
          if (run === 0 || figures === undefined) continue;
          figures[who === "bare" ? "bare" : "ours"].push(answered / cpu);
          if (who === "gateway") figures.p99.push(p99);
        }
      }
    }
    stopCrawling.abort();
    await crawling;
  } finally {
    bare.kill();
  }
  console.log(
    `\n${markdownTable(
      ["route", "product per CPU second", "bare", "share", "p99"],
      [...seen].map(([name, { ours, bare: other, p99 }]) => [
        name,
        median(ours).toFixed(0),
        median(other).toFixed(0),
        `${((100 * median(ours)) / median(other)).toFixed(0)} %`,
        `${median(p99).toFixed(1)} ms`,
      ]),
    )}\n`,
  );
  report.begin("aims");
  for (const [name, { ours, bare: other, p99 }] of seen) {
    report.atLeast(`${name} beside a bare route`, 60, (100 * median(ours)) / median(other), "%");
    report.below(`${name}, p99`, 50, median(p99), "ms", { digits: 1 });
  }
}

/** Runs one crawl after the other. @param {import("../lib/stack.mjs").Product} product @param {AbortSignal} until */
async function crawlOn({ rest }, until) {
  const { id } = await rest.call("createTestObject", { body: { name: "Crawled meanwhile", url } });
  while (!until.aborted) {
    await rest.call("crawl", { params: { id } });
    await waitFor(
      async () => {
        const { items } = await rest.call("listRuns", { params: { id }, query: { limit: 1 } });
        return until.aborted || items.every((run) => run.state !== "running") || undefined;
      },
      { what: "the end of the crawl", timeoutMs: 300_000, everyMs: 500, signal },
    );
  }
}

/** @param {import("../lib/stack.mjs").Product} product @param {string} testobjectId */
async function measureSubscribers({ address, addresses, parts }, testobjectId) {
  report.begin(`${subscribers} subscribers, 100 events a second`);
  const bus = await openBus(addresses.NATS_URL, { name: "bench", hostConcurrency: 1, onError: () => undefined });
  const readers = fork(
    new URL("subscribers.mjs", import.meta.url),
    [address, testobjectId, String(subscribers), apiToken],
    {
      execArgv: [],
    },
  );
  try {
    await once(readers, "message", { signal });
    readers.send({ type: "begin" });
    const watch = watchProcesses(parts);
    const [fetching, crawling] = [randomUUID(), randomUUID()];
    const total = 10 * 100;
    let changes = 0;
    const began = performance.now();
    for (let n = 0; n < total; n++) {
      const ahead = began + n * 10 - performance.now();
      if (ahead > 0) await wait(ahead);
      const counters = { testobjectId, total, completed: n, failed: 0, running: true };
      if (n % 4 === 0) bus.publishEvent({ type: "crawl:progress", ...counters, runId: crawling, found: n });
      else if (n % 4 === 1) {
        changes += 1;
        const change = { testinstanceId: randomUUID(), snapshotId: randomUUID(), linesAdded: 1, linesRemoved: 1 };
        const besides = { filesChanged: 0, factsChanged: [] };
        bus.publishEvent({
          type: "snapshot:changed",
          testobjectId,
          changes: [{ ...change, ...besides, kind: "changed" }],
        });
      } else bus.publishEvent({ type: "fetch:progress", ...counters, runId: fetching, changed: 0 });
    }
    const took = (performance.now() - began) / 1000;
    const cpu = watch.stop().find(({ name }) => name === "gateway")?.cpuSeconds ?? Number.NaN;
    await wait(5_000);
    readers.send({ type: "end" });
    const [{ most, least, leastChanges }] = await once(readers, "message", { signal });
    report.below("events a second for one client", 10.5, most / took, "a second", { must: true, digits: 1 });
    report.atLeast("events a second for each client", 1, least / took, "a second", { must: true, digits: 1 });
    report.atLeast("changes told to each client", 100, (100 * leastChanges) / changes, "%", { must: true });
    report.below("gateway's share of a core", 10, (100 * cpu) / took, "%", { digits: 1 });
  } finally {
    readers.kill("SIGKILL");
    await bus.close();
  }
}
