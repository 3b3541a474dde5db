// @ts-check
/** Measures export, import and deletion of 100,000 snapshots: time, memory of the gateway, and how the API answers meanwhile. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { watchProcesses } from "../lib/processes.mjs";
import { Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";

const usage = `npm run bench -- transfer [--snapshots 100000] [--instances 1000]

Imports a generated file into an empty product, exports everything, imports that export again, and deletes the test object,
while calls of the API are timed. Ends with 1 when a count is wrong or an aim of memory, time or answers is missed.`;
const mebi = 1024 * 1024;
const memoryAim = 100 * mebi;
const deletionAimMs = 60_000;
const answerAimMs = 200;

const { values } = parseArgs({
  options: {
    snapshots: { type: "string", default: "100000" },
    instances: { type: "string", default: "1000" },
    help: { type: "boolean", default: false },
  },
});
const snapshots = Number(values.snapshots);
const instances = Number(values.instances);
if (values.help || !(snapshots > 0 && instances > 0)) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

/** Returns a page of some 5 KB; an instance changes with every tenth snapshot. @param {number} instance @param {number} version */
function page(instance, version) {
  const lines = Array.from(
    { length: 60 },
    (_, line) =>
      `<p>Instance ${instance}, line ${line}: ${createHash("md5")
        .update(`${instance} ${line} ${line < 5 ? version : 0}`)
        .digest("hex")} some words of a page</p>`,
  );
  return `<!doctype html><title>${instance}</title>\n${lines.join("\n")}\n`;
}

/** Yields the import file, as another product would write it. */
function* file() {
  yield `{"testObjects":[{"id":"1","name":"Bench","url":"https://bench.example/"}],"testInstances":[`;
  for (let instance = 0; instance < instances; instance++)
    yield `${instance === 0 ? "" : ","}{"id":"${instance}","testobject_id":"1","url":"https://bench.example/${instance}","name":"Page ${instance}"}`;
  yield `],"testSnapshots":[`;
  const start = Date.now() - snapshots * 1000;
  for (let n = 0; n < snapshots; n++) {
    const instance = n % instances;
    const version = Math.floor(n / instances / 10);
    const html = JSON.stringify(page(instance, version));
    yield `${n === 0 ? "" : ","}{"id":${n},"testinstance_id":"${instance}","created_at":${start + n * 1000},"headers":{"content-type":"text/html"},"http_status":200,"html":${html}}`;
  }
  yield "]}";
}

/**
 * @param {string} address
 * @param {Iterable<string> | AsyncIterable<Uint8Array>} body
 * @returns {Promise<any>}
 */
function upload(address, body) {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${address}/api/import`,
      { method: "POST", headers: { "content-type": "application/json" } },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part) => (text += part));
        answer.once("end", () => (answer.statusCode === 200 ? resolve(JSON.parse(text)) : reject(new Error(text))));
      },
    );
    pipeline(Readable.from(body, { highWaterMark: 64 }), asked).catch(reject);
    asked.once("error", reject);
  });
}

/** @param {number} pid resident bytes */
function residentOf(pid) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024;
}

/** Measures the time of repeated calls until it is stopped. @param {string} address @param {string} path */
function timeCalls(address, path) {
  /** @type {number[]} */
  const times = [];
  let over = false;
  const done = (async () => {
    while (!over) {
      const begun = performance.now();
      await (await fetch(address + path)).arrayBuffer();
      times.push(performance.now() - begun);
      await wait(20);
    }
  })();
  return {
    async stop() {
      over = true;
      await done;
      times.sort((a, b) => a - b);
      return {
        calls: times.length,
        p50: times[Math.floor(times.length / 2)] ?? 0,
        p99: times[Math.floor(times.length * 0.99)] ?? 0,
      };
    },
  };
}

const signal = benchSignal(30 * 60_000);
const report = new Report(console.log);
await withProduct({ signal, log: console.log }, async ({ address, rest, database, parts }) => {
  const gateway = parts().find(({ name }) => name === "gateway");
  if (gateway === undefined) throw new Error("there is no gateway");
  await rest.call("getStats");
  await wait(3_000);
  const idle = residentOf(gateway.pid);
  console.log(`gateway idle: ${(idle / mebi).toFixed(0)} MiB`);

  /** @template T @param {string} name @param {() => Promise<T>} work */
  const phase = async (name, work) => {
    report.begin(name);
    const watch = watchProcesses(parts);
    const calls = timeCalls(address, "/api/testobjects");
    const begun = performance.now();
    const result = await work();
    const ms = performance.now() - begun;
    const answers = await calls.stop();
    const uses = watch.stop();
    const peak = uses.find((use) => use.name === "gateway")?.peakBytes ?? 0;
    console.log(
      `  ${(ms / 1000).toFixed(1)} s; CPU ${uses.map((use) => `${use.name} ${use.cpuSeconds.toFixed(1)} s`).join(", ")}; API p50 ${answers.p50.toFixed(0)} ms, p99 ${answers.p99.toFixed(0)} ms over ${answers.calls} calls`,
    );
    return { result, ms, peak, answers };
  };

  const imported = await phase("import", () => upload(address, file()));
  report.equal("snapshots imported", snapshots, imported.result.snapshots);
  report.below("gateway above idle", memoryAim / mebi, (imported.peak - idle) / mebi, "MiB", { must: true });

  let bytes = 0;
  const exported = await phase("export", async () => {
    const answer = await fetch(`${address}/api/export`, { signal });
    if (answer.body === null) throw new Error("the export has no body");
    for await (const chunk of answer.body) bytes += chunk.length;
    return bytes;
  });
  console.log(`  ${(bytes / mebi).toFixed(0)} MiB, ${(bytes / mebi / (exported.ms / 1000)).toFixed(0)} MiB/s`);
  report.below("gateway above idle", memoryAim / mebi, (exported.peak - idle) / mebi, "MiB", { must: true });

  const again = await phase("import of the export, straight from one to the other", async () => {
    const answer = await fetch(`${address}/api/export`, { signal });
    if (answer.body === null) throw new Error("the export has no body");
    return upload(address, answer.body);
  });
  report.equal("snapshots that are new", 0, again.result.snapshots);
  report.equal("snapshots known before", snapshots, again.result.existing.snapshots);
  report.below("gateway above idle", memoryAim / mebi, (again.peak - idle) / mebi, "MiB", { must: true });

  const [object] = await rest.call("listTestObjects");
  if (object === undefined) throw new Error("there is no object");
  const deleted = await phase("deletion", async () => {
    await rest.call("deleteTestObject", { params: { id: object.id } });
    for (;;) {
      const { rows } = await database.query("SELECT 1 FROM test_object");
      if (rows.length === 0) return;
      await wait(100, undefined, { signal });
    }
  });
  const { rows } = await database.query(
    "SELECT (SELECT count(*)::int FROM test_snapshot) + (SELECT count(*)::int FROM change) AS left",
  );
  report.equal("rows left", 0, rows[0].left);
  report.below("deletion", deletionAimMs / 1000, deleted.ms / 1000, "s", { must: true, digits: 1 });
  report.below("API p99 meanwhile", answerAimMs, deleted.answers.p99, "ms", { must: true });
});
process.exitCode = report.checks.some(({ ok, must }) => must && !ok) ? 1 : 0;
