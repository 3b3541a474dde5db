// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { freePorts } from "../../infra/local/stack/ports.mjs";
import { restClient } from "../lib/rest-client.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const readyWithinMs = 180_000;
const stoppedWithinMs = 30_000;
const testsWithinMs = 600_000;

/**
 * How to run npm in a circumstance.
 * @typedef {(npm: string[], env: Record<string, string>) => { command: string, args: string[], options: import("node:child_process").SpawnOptions }} Way
 */

/** @typedef {{ room: string, allTests: boolean, signal: AbortSignal, log: (line: string) => void }} Around */

/**
 * Runs `npm start` until it is ready.
 * @param {Way} way
 * @param {Record<string, string>} env
 * @param {Around} around
 * @returns {Promise<{ address: string, lines: string[], seconds: number, stop: () => Promise<void> }>}
 * @throws Error with its last lines of output, when it ends before it is ready
 */
export async function start(way, env, { signal, log }) {
  const [port = 0] = await freePorts(1);
  const address = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const { child, lines, ended } = run(way(["start"], { ...env, PORT: String(port) }), signal);
  try {
    await waitFor(
      async () => {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`npm start ended: ${lines.slice(-4).join(" ⏎ ")}`);
        return lines.some((line) => line.startsWith("Web Tester is ready at ")) ? true : undefined;
      },
      { what: `npm start is ready (${lines.at(-1)})`, timeoutMs: readyWithinMs, signal },
    );
    const { status } = await fetch(`${address}/readyz`);
    if (status !== 200) throw new Error(`/readyz answers ${status}`);
  } catch (error) {
    child.kill("SIGTERM");
    await ended;
    throw error;
  }
  for (const line of lines) if (/^PostgreSQL runs|kept in|belonged/.test(line)) log(line);
  return {
    address,
    lines,
    seconds: Math.round((performance.now() - startedAt) / 100) / 10,
    async stop() {
      child.kill("SIGINT");
      const late = sleep(stoppedWithinMs, "late", { ref: false });
      if ((await Promise.race([ended, late])) === "late") {
        child.kill("SIGKILL");
        throw new Error(`npm start did not stop within ${stoppedWithinMs / 1000} s`);
      }
      if (!lines.includes("Stopped."))
        throw new Error(`npm start did not stop cleanly: ${lines.slice(-4).join(" ⏎ ")}`);
    },
  };
}

/**
 * Expects `npm start` to fail with a message.
 * @param {Way} way
 * @param {Record<string, string>} env
 * @param {RegExp} says
 * @param {AbortSignal} signal
 * @returns {Promise<string>} the line with the message
 */
export async function refusedStart(way, env, says, signal) {
  const [port = 0] = await freePorts(1);
  const { child, lines, ended } = run(way(["start"], { ...env, PORT: String(port) }), signal);
  const timer = setTimeout(() => child.kill("SIGTERM"), readyWithinMs);
  await ended;
  clearTimeout(timer);
  const said = lines.find((line) => says.test(line));
  if (said === undefined || child.exitCode === 0)
    throw new Error(`Not refused in words: ${lines.slice(-6).join(" ⏎ ")}`);
  return said;
}

/**
 * Registers the sample site and fetches all of its pages.
 * @param {string} address
 * @param {AbortSignal} signal
 * @returns {Promise<number>} how many pages were fetched
 */
export async function fetchSample(address, signal) {
  const rest = restClient(address, signal);
  const { id } = await rest.call("createSample", { body: {} });
  const idle = (/** @type {"crawl" | "snapshotAll"} */ kind) =>
    waitFor(
      async () => {
        const progress = (await rest.call("listTestObjects")).find((object) => object.id === id)?.progress[kind];
        return progress === undefined || progress.running ? undefined : progress;
      },
      { what: `the run ${kind} has ended`, timeoutMs: 120_000, signal },
    );
  await rest.call("crawl", { params: { id } });
  await idle("crawl");
  await rest.call("snapshotAll", { params: { id } });
  const { completed, failed } = await idle("snapshotAll");
  if (failed > 0 || completed === 0) throw new Error(`${completed} pages of the sample were fetched, ${failed} failed`);
  return completed;
}

/**
 * Returns the number of pages of the sample that an earlier start has fetched.
 * @param {string} address
 * @param {AbortSignal} signal
 */
export async function foundAgain(address, signal) {
  const [object] = await restClient(address, signal).call("listTestObjects");
  return object?.progress.snapshotAll.completed ?? 0;
}

/**
 * Runs tests that start stacks.
 * @param {Way} way
 * @param {Around} around
 * @returns {Promise<string>} the line that counts them
 */
export async function runTests(way, { allTests, signal }) {
  const some = [
    "--testNamePattern",
    "finds its data and its secrets again|takes its parts with it|mark beside it|closed to others",
  ];
  const { child, lines, ended } = run(way(["test", "--", "tests/local", ...(allTests ? [] : some)], {}), signal);
  const timer = setTimeout(() => child.kill("SIGTERM"), testsWithinMs);
  await ended;
  clearTimeout(timer);
  const counts = lines.findLast((line) => /^\d+ passed, \d+ failed/.test(line));
  if (counts === undefined || / [1-9]\d* failed/.test(counts))
    throw new Error(`npm test: ${lines.slice(-30).join(" ⏎ ")}`);
  return counts.replace(/, \d+ skipped/, "");
}

/**
 * @param {ReturnType<Way>} how
 * @param {AbortSignal} signal
 */
function run({ command, args, options }, signal) {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], signal, killSignal: "SIGTERM" });
  /** @type {string[]} */
  const lines = [];
  for (const stream of [child.stdout, child.stderr]) {
    let rest = "";
    stream?.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
      const parts = `${rest}${text}`.split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts.filter((line) => line !== ""));
    });
  }
  child.on("error", (error) => lines.push(error.message));
  return { child, lines, ended: once(child, "close").then(() => "ended") };
}
