// @ts-check
/**
 * Opens fifty connections that are cut at random, send half requests, or do not read, over every route: no process ends,
 * memory stays, /healthz answers.
 */
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { parseArgs } from "node:util";
import { markdownTable, median, Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";
import { acts, actOnce } from "./acts.mjs";
import { startBare } from "./bare.mjs";
import { fillProduct } from "./fill.mjs";
import { watchHealth } from "./health.mjs";

const usage = `npm run bench -- cuts [--minutes 10] [--seed <number>] [--connections 50]

Imports 40 pages and one of 9.9 MB into a product of its own, looks at the large one, and then for --minutes over --connections connections asks for
every route of the endpoint table, the screens and the websockets, in ways that the seed decides: whole, cut after some bytes (closed or reset), half a
head, half a body, not reading, several at once. Aims: the process ids of all parts stay, the gateway's memory does not grow, p99 of /healthz ≤ 200 ms.
Everything is on loopback and ends by itself.`;
const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
    connections: { type: "string", default: "50" },
    help: { type: "boolean", default: false },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
const connections = Number(values.connections);
if (values.help || !(minutes > 0 && minutes <= 60 && connections > 0 && connections <= 500 && Number.isInteger(seed))) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

const signal = benchSignal((minutes + 10) * 60_000);
const report = new Report(console.log);
console.log(`Seed ${seed}, ${connections} connections, ${minutes} minutes`);

await withProduct({ signal, log: (line) => console.log(`    ${line}`) }, async (product) => {
  const routes = await fillProduct(product);
  const pids = () => product.parts().map(({ name, pid }) => `${name} ${pid}`);
  const before = pids();
  const gateway = product.parts().find(({ name }) => name === "gateway")?.pid ?? 0;

  report.begin("looking at a page of 9.9 MB");
  const looking = watchHealth(product.address, 20);
  for (const path of routes.large) {
    const began = performance.now();
    const answer = await fetch(product.address + path, { signal });
    await answer.arrayBuffer();
    report.log(
      `  ${path.replace(/[0-9a-f-]{36}/g, "…")}: ${answer.status} after ${(performance.now() - began).toFixed(0)} ms`,
    );
  }
  const seen = await looking.stop();
  report.below("/healthz meanwhile, p99", 200, seen.p99, "ms", { must: true });
  report.below("/healthz meanwhile, longest", 1_000, seen.longest, "ms");

  report.begin(`${minutes} minutes of cuts and halves over ${routes.all.length} routes`);
  const bare = await startBare();
  const health = watchHealth(product.address, 50);
  const bareHealth = watchHealth(bare.address, 50);
  const end = performance.now() + minutes * 60_000;
  /** @type {Map<string, { count: number, answered: number }>} */
  const done = new Map(acts.map((name) => [name, { count: 0, answered: 0 }]));
  /** @type {number[]} */
  const memory = [];
  const sampling = setInterval(() => memory.push(residentOf(gateway)), 2_000);
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const random = randomFrom(seed * 1_000 + index);
      while (performance.now() < end && !signal.aborted) {
        const { act, answered } = await actOnce(new URL(product.address), routes.all, random);
        const figures = done.get(act);
        if (figures === undefined) continue;
        figures.count += 1;
        if (answered) figures.answered += 1;
      }
    }),
  );
  clearInterval(sampling);
  const healthSeen = await health.stop();
  const bareSeen = await bareHealth.stop();
  bare.stop();
  // what is still held is released within the limits for slow readers
  await wait(2_000, undefined, { signal });

  console.log(
    `\n${markdownTable(
      ["what was done", "times", "with an answer"],
      [...done].map(([name, { count, answered }]) => [name, String(count), String(answered)]),
    )}\n`,
  );
  const third = Math.max(1, Math.floor(memory.length / 3));
  const early = median(memory.slice(third, 2 * third));
  const late = median(memory.slice(-third));
  console.log(
    `${markdownTable(
      ["/healthz", "p50 ms", "p99 ms", "longest ms", "asked", "failed"],
      [
        ["looking at 9.9 MB", seen.p50, seen.p99, seen.longest, seen.asked, seen.failed],
        // the share of the machine and of this program
        ["cuts, an idle server beside", bareSeen.p50, bareSeen.p99, bareSeen.longest, bareSeen.asked, bareSeen.failed],
        ["cuts", healthSeen.p50, healthSeen.p99, healthSeen.longest, healthSeen.asked, healthSeen.failed],
      ].map((row) => row.map((cell) => (typeof cell === "number" ? cell.toFixed(cell < 100 ? 1 : 0) : String(cell)))),
    )}\n`,
  );
  report.equal("processes that ended", 0, before.filter((part) => !pids().includes(part)).length);
  report.equal("/healthz without an answer", 0, healthSeen.failed + seen.failed);
  report.below("/healthz, p99", 200, healthSeen.p99, "ms", { must: true });
  report.below("memory of the gateway, last third against the second", 1.15, late / early, "times", {
    must: true,
    digits: 2,
  });
  report.log(
    `  memory: ${(early / 2 ** 20).toFixed(0)} MiB in the second third, ${(late / 2 ** 20).toFixed(0)} MiB in the last, ${(Math.max(...memory) / 2 ** 20).toFixed(0)} MiB at most`,
  );
});
process.exitCode = report.passed ? 0 : 1;

/** @param {number} pid @returns {number} bytes */
function residentOf(pid) {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Returns a generator of numbers from 0 to 1, repeatable by its seed (mulberry32). @param {number} start @returns {() => number} */
function randomFrom(start) {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
