// @ts-check
/** Measures how long a wrong token takes to be refused: whether the time reveals how much of it is right. */
import { Agent, request } from "node:http";
import { parseArgs } from "node:util";
import { Report } from "../lib/report.mjs";
import { benchSignal, withProduct } from "../lib/stack.mjs";

const usage = `npm run bench -- wrong-token [--asks 20000]

Asks --asks times with each kind of wrong token, in a random order over one connection, and compares the times of those that are wrong from the
beginning with those that are wrong in their last letter: Welch's t of the quickest 90 %. Ends with 1 where it is 4.5 or more, which is what dudect calls a leak.`;
const { values } = parseArgs({
  options: { asks: { type: "string", default: "20000" }, help: { type: "boolean", default: false } },
});
const asks = Number(values.asks);
if (values.help || !(asks > 0)) {
  console.log(usage);
  process.exit(values.help ? 0 : 1);
}

const leakAt = 4.5;
const apiToken = "f9c2a71b6e0d4835f9c2a71b6e0d4835";
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Returns the text with another letter in one place. @param {string} text @param {number} at */
const other = (text, at) => `${text.slice(0, at)}${text[at] === "q" ? "r" : "q"}${text.slice(at + 1)}`;

/** @param {URL} url @param {string} token @returns {Promise<number>} µs */
const time = (url, token) =>
  new Promise((done, failed) => {
    const from = process.hrtime.bigint();
    const call = request(url, { agent, headers: { authorization: `Bearer ${token}` } }, (answer) => {
      if (answer.statusCode !== 401) failed(new Error(`A wrong token got ${answer.statusCode}`));
      answer.resume();
      answer.once("end", () => done(Number(process.hrtime.bigint() - from) / 1_000));
    });
    call.once("error", failed);
    call.end();
  });

/** Returns mean and variance of the quickest 90 %, so that other work of the machine does not count. @param {number[]} times */
function spread(times) {
  const kept = times.toSorted((a, b) => a - b).slice(0, Math.floor(times.length * 0.9));
  const mean = kept.reduce((sum, each) => sum + each, 0) / kept.length;
  const variance = kept.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (kept.length - 1);
  return { mean, variance, n: kept.length, median: kept[kept.length >> 1] ?? 0 };
}

const signal = benchSignal(10 * 60_000);
const report = new Report(console.log);
await withProduct({ signal, apiToken, env: { RATE_LIMIT: "0" } }, async ({ address }) => {
  const made = await fetch(`${address}/api/tokens`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${apiToken}` },
    body: JSON.stringify({ name: "Named", role: "viewer" }),
    signal,
  });
  /** @type {{ token: string }} */
  const { token: named } = await made.json();
  /** @type {Record<string, string>} */
  const kinds = {
    "API_TOKEN, first letter wrong": other(apiToken, 0),
    "API_TOKEN, last letter wrong": other(apiToken, apiToken.length - 1),
    "API_TOKEN, twice as long": apiToken + apiToken,
    "named, first letter wrong": other(named, 3),
    "named, last letter wrong": other(named, named.length - 1),
  };
  const url = new URL("/api/stats", address);
  /** @type {Map<string, number[]>} */
  const times = new Map(Object.keys(kinds).map((kind) => [kind, []]));
  for (let index = 0; index < 2_000; index++) await time(url, Object.values(kinds)[index % 5] ?? "");
  const order = Object.keys(kinds).flatMap((kind) => Array.from({ length: asks }, () => ({ kind, at: Math.random() })));
  for (const { kind } of order.toSorted((a, b) => a.at - b.at))
    times.get(kind)?.push(await time(url, kinds[kind] ?? ""));
  report.begin(`${asks} asks of each kind`);
  for (const [kind, of] of times) {
    const { mean, median } = spread(of);
    console.log(`  ${kind}: median ${median.toFixed(1)} µs, mean ${mean.toFixed(1)} µs`);
  }
  /** @param {string} one @param {string} two */
  const compare = (one, two) => {
    const [a, b] = [spread(times.get(one) ?? []), spread(times.get(two) ?? [])];
    const t = Math.abs(a.mean - b.mean) / Math.sqrt(a.variance / a.n + b.variance / b.n);
    report.below(`t of “${one}” and “${two}”`, leakAt, t, "", { must: true, digits: 2 });
  };
  compare("API_TOKEN, first letter wrong", "API_TOKEN, last letter wrong");
  compare("named, first letter wrong", "named, last letter wrong");
});
agent.destroy();
process.exitCode = report.passed ? 0 : 1;
