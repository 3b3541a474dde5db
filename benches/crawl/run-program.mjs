// @ts-check
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { watchProcesses } from "../lib/processes.mjs";

/**
 * One crawl of one contestant.
 * @typedef {object} CrawlResult
 * @property {number} seconds
 * @property {number} ownCpuSeconds of the contestant's own processes
 * @property {number} cpuSeconds including PostgreSQL and NATS, where it has them
 * @property {Set<string>} pages paths of the HTML pages below the site's address
 * @property {import("../lib/processes.mjs").PartUse[]} use
 */

/**
 * Runs a program with the frame of program.mjs, and measures its process tree from the start signal to its answer.
 * @param {readonly string[]} command
 * @param {{ url: string, concurrency: number }} task
 * @param {AbortSignal} signal
 * @returns {Promise<CrawlResult>}
 */
export async function runProgram(command, task, signal) {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"], signal, killSignal: "SIGKILL" });
  const ended = new Promise((_, failed) => {
    child.once("error", failed);
    child.once("exit", (code, by) => failed(new Error(`${command.join(" ")} ended early (${by ?? code})`)));
  });
  ended.catch(() => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => String((await Promise.race([lines.next(), ended])).value);
  try {
    for (let line = ""; line !== "ready";) line = await nextLine();
    const watch = watchProcesses(() => [{ name: "program", pid: child.pid ?? 0 }]);
    const startedAt = performance.now();
    child.stdin.write("go\n");
    const answer = await nextLine();
    const seconds = (performance.now() - startedAt) / 1000;
    const use = watch.stop();
    const cpuSeconds = use[0]?.cpuSeconds ?? Number.NaN;
    const site = new URL(".", task.url).href;
    const pages = JSON.parse(answer).map((/** @type {string} */ url) => url.slice(site.length));
    return { seconds, ownCpuSeconds: cpuSeconds, cpuSeconds, pages: new Set(pages), use };
  } finally {
    child.kill("SIGKILL");
  }
}
