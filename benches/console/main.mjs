// @ts-check
/** Sends 100 lines a second to 1,000 console sockets: gaps and reordering per run, the gateway's event loop, and readers that stopped reading. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { openBus } from "@web-tester/platform/bus/open-bus";
import { watchProcesses } from "../lib/processes.mjs";
import { Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";

const usage = `npm run bench -- console [--sockets 1000] [--stopped 100] [--rate 100] [--seconds 30] [--runs 4]

Opens --sockets consoles and --stopped more that never read, and has --rate lines a second told, of --runs runs in turn, for
--seconds. Ends with 1 when a console misses a line or has two of a run in the wrong order, or the event loop's aim is missed.`;
const loopAimMs = 100;
const mebi = 1024 * 1024;

const { values } = parseArgs({
  options: {
    sockets: { type: "string", default: "1000" },
    stopped: { type: "string", default: "100" },
    rate: { type: "string", default: "100" },
    seconds: { type: "string", default: "30" },
    runs: { type: "string", default: "4" },
    help: { type: "boolean", default: false },
  },
});
const [sockets = 0, stopped = 0, rate = 0, seconds = 0, runs = 0] = [
  values.sockets,
  values.stopped,
  values.rate,
  values.seconds,
  values.runs,
].map(Number);
if (values.help || !(sockets > 0 && stopped >= 0 && rate > 0 && seconds > 0 && runs > 0)) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

const signal = benchSignal(15 * 60_000);
const report = new Report(console.log);
await withProduct({ signal, log: console.log }, async ({ address, addresses, parts }) => {
  const bus = await openBus(addresses.NATS_URL, { name: "bench", hostConcurrency: 1, onError: () => undefined });
  // readers in a thread would share this process, so they get a process of their own
  const readers = fork(new URL("readers.mjs", import.meta.url), [address, String(sockets), String(stopped)], {
    execArgv: [],
  });
  try {
    await told(readers, "ready");
    const idle = await loopOf(address);
    report.begin(
      `${sockets} consoles, ${stopped} that do not read, ${rate} lines a second of ${runs} runs for ${seconds} s`,
    );
    const watch = watchProcesses(parts);
    const total = rate * seconds;
    const began = performance.now();
    for (let n = 0; n < total; n++) {
      signal.throwIfAborted();
      const ahead = began + (n * 1000) / rate - performance.now();
      if (ahead > 0) await wait(ahead);
      bus.logLine(
        `run-${n % runs}`,
        "info",
        `line ${Math.floor(n / runs)} Visited https://bench.example/pages/${n}.html in 120 ms: 200, 4.1 KB`,
      );
    }
    const tookMs = performance.now() - began;
    const loop = await loopOf(address);
    readers.send({ expected: total });
    const seen = await told(readers, "seen");
    const gateway = watch.stop().find(({ name }) => name === "gateway");
    console.log(
      `  ${(tookMs / 1000).toFixed(1)} s; gateway CPU ${gateway?.cpuSeconds.toFixed(1)} s, peak ${((gateway?.peakBytes ?? 0) / mebi).toFixed(0)} MiB; event loop p50 ${loop.p50.toFixed(0)} ms, p99 ${loop.p99.toFixed(0)} ms, longest ${loop.max.toFixed(0)} ms (idle p99 ${idle.p99.toFixed(0)} ms); latest line ${seen.latestMs.toFixed(0)} ms after it was written`,
    );
    report.equal("consoles that have every line", sockets, seen.complete);
    report.equal("lines before another of their run that is older", 0, seen.reordered);
    report.equal("lines that came twice", 0, seen.doubled);
    report.below("gateway's event loop delay, p99", loopAimMs, loop.p99, "ms", { must: true });
  } finally {
    readers.kill("SIGKILL");
    await bus.close();
  }
});
process.exitCode = report.checks.some(({ ok, must }) => must && !ok) ? 1 : 0;

/**
 * @param {import("node:child_process").ChildProcess} child
 * @param {string} type
 * @returns {Promise<any>}
 */
async function told(child, type) {
  for (;;) {
    const [message] = await Promise.race([
      once(child, "message", { signal }),
      once(child, "exit", { signal }).then(() => {
        throw new Error("The readers ended");
      }),
    ]);
    if (message.type === type) return message;
  }
}

/** Returns the delay of the gateway's event loop since the last call, in ms, without the sampling interval of 200 ms. @param {string} address */
async function loopOf(address) {
  const text = await (await fetch(`${address}/metrics`)).text();
  const value = (/** @type {string} */ name) =>
    Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds(?:\\{[^}]*\\})? (\\S+)`, "m").exec(text)?.[1]) * 1000 -
    200;
  return { p50: value("p50"), p99: value("p99"), max: value("max") };
}
