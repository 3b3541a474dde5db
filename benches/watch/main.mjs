// @ts-check
/** Measures schedules and webhooks: a simulated week of schedules taken by three takers, the cost of an idle product, and the delay of webhooks. */
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { watchProcesses } from "../lib/processes.mjs";
import { Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { liveDays, schedulesOf } from "./week.mjs";

const usage = `npm run bench -- watch [--schedules N] [--objects N] [--idle S] [--days N]

Begins the due times of N schedules (10000) over a simulated week with a change of clocks, by three takers that are killed at random.
Then measures an idle product with those schedules for S seconds (30), and how soon after the end of a run its webhook arrives, for N
objects (50) fetched within a minute, alone and beside receivers that hang and fail. --days 0 makes the schedules and lives none of the week (7).`;

async function main() {
  const { values } = parseArgs({
    options: {
      schedules: { type: "string", default: "10000" },
      objects: { type: "string", default: "50" },
      idle: { type: "string", default: "30" },
      days: { type: "string", default: "7" },
      help: { type: "boolean", default: false },
    },
  });
  const { schedules: many, objects: some, idle: long, days: lived } = values;
  const [schedules = 0, objects = 0, idle = 0, days = 0] = [many, some, long, lived].map(Number);
  if (values.help || !(schedules >= 1) || !(objects >= 0) || !(idle >= 5) || !(days >= 0)) {
    console.log(usage);
    return values.help;
  }
  const signal = benchSignal(60 * 60_000);
  const report = new Report(console.log);
  const log = (/** @type {string} */ line) => console.log(`    ${line}`);
  await withProduct({ signal, log, egressAllow: "127.0.0.1" }, async (product) => {
    report.begin(`${days} days of ${schedules} schedules, three takers, one try of fifty killed`);
    const week = await liveDays(product, schedulesOf(schedules), days, signal);
    report.equal("due times with exactly one run", week.expected, week.begun);
    report.equal("due times missing", 0, week.missing);
    report.equal("runs beyond them", 0, week.doubled);
    report.log(`    ${week.expected} due times in ${week.seconds.toFixed(0)} s, ${week.killed} killed on the way`);
    await idleFor(product, idle, report);
    if (objects > 0) await arrivals(product, objects, report, signal);
  });
  return report.checks.every(({ ok, must }) => ok || !must);
}

/** @param {import("../lib/stack.mjs").Product} product @param {number} seconds @param {Report} report */
async function idleFor({ parts }, seconds, report) {
  report.begin("Idle");
  // by then the cleaning up after the week is over
  await sleep(10_000);
  const watch = watchProcesses(parts);
  await sleep(seconds * 1_000);
  const uses = watch.stop();
  const share = (/** @type {number} */ cpu) => `${((cpu / seconds) * 100).toFixed(1)} %`;
  const all = uses.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0);
  report.log(
    `    ${share(all)} of a core: ${uses.map(({ name, cpuSeconds }) => `${name} ${share(cpuSeconds)}`).join(", ")}`,
  );
}

/**
 * Measures how soon the webhook of a run arrives: alone, and beside receivers that never answer or always fail.
 * @param {import("../lib/stack.mjs").Product} product @param {number} count @param {Report} report @param {AbortSignal} signal
 */
async function arrivals({ rest, database }, count, report, signal) {
  // an edition for each object, since the previous fetch may still be going on
  /** @type {Map<string, number>} */
  const editions = new Map();
  const site = createServer(({ url = "/" }, response) =>
    response.setHeader("content-type", "text/html").end(`<p>Edition ${editions.get(url) ?? 0}</p>`),
  );
  /** @type {Map<string, number>} */
  const arrived = new Map();
  const receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      for (const { run } of JSON.parse(body).data.sections) arrived.set(run.id, Date.now());
      response.writeHead(204).end();
    });
  });
  let held = 0;
  const hanging = createServer(() => void (held += 1));
  const failing = createServer((_, response) => response.writeHead(500).end());
  const servers = [site, receiver, hanging, failing];
  const route = async (/** @type {string} */ name, /** @type {number} */ port) => {
    const channel = await rest.call("createChannel", {
      body: { kind: "webhook", name, url: `http://127.0.0.1:${port}/` },
    });
    await rest.call("createRoute", { body: { channel_id: channel.id } });
  };
  /** @type {(times: number) => Promise<number>} the 99th percentile, in milliseconds */
  const measure = async (times) => {
    const runs = [];
    for (let time = 0; time < times; time += 1)
      for (const [index, id] of ids.entries()) {
        const began = Date.now();
        editions.set(`/${index}/`, (editions.get(`/${index}/`) ?? 0) + 1);
        const { runId } = await rest.call("snapshotAll", { params: { id } });
        if (runId !== null) runs.push(runId);
        await sleep(Math.max(0, 60_000 / count - (Date.now() - began)));
        signal.throwIfAborted();
      }
    await sleep(5_000);
    const { rows } = await database.query("SELECT id, finished_at FROM run WHERE id = ANY($1) AND changed > 0", [runs]);
    report.equal("runs with a change that were told", rows.length, rows.filter(({ id }) => arrived.has(id)).length);
    report.equal("runs with a change", times * count, rows.length);
    const waits = rows
      .map(({ id, finished_at: at }) => (arrived.get(id) ?? Number.POSITIVE_INFINITY) - at.getTime())
      .toSorted((a, b) => a - b);
    const at = (/** @type {number} */ share) =>
      waits[Math.min(waits.length - 1, Math.floor(waits.length * share))] ?? 0;
    report.log(`    from the end of a run: median ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`);
    report.below("from the end of a run to the webhook, p99", 2_000, at(0.99), "ms");
    return at(0.99);
  };
  /** @type {string[]} */
  const ids = [];
  try {
    const [sitePort = 0, receiverPort = 0, hangingPort = 0, failingPort = 0] = await Promise.all(servers.map(listen));
    await route("Receiver", receiverPort);
    for (let index = 0; index < count; index += 1) {
      const { id } = await rest.call("createTestObject", {
        body: { name: `Object ${index}`, url: `http://127.0.0.1:${sitePort}/${index}/` },
      });
      await rest.call("snapshotOne", { params: { id } });
      ids.push(id);
    }
    report.begin(`${count} objects fetched within a minute, three times`);
    const alone = await measure(3);
    report.begin(
      `${count} objects fetched within a minute, three times, beside a receiver that hangs and one that fails`,
    );
    await route("Hanging", hangingPort);
    await route("Failing", failingPort);
    const beside = await measure(3);
    report.log(`    the receiver that hangs was asked ${held} times`);
    report.below("what they cost another receiver, p99", 1_000, beside - alone, "ms");
  } finally {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  }
}

/** @param {import("node:http").Server} server @returns {Promise<number>} its port */
async function listen(server) {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

process.exitCode = (await main()) ? 0 : 1;
