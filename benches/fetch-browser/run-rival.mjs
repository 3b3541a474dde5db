// @ts-check
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { watchProcesses } from "../lib/processes.mjs";

/** @typedef {{ pages: number, cpuSeconds: number, seconds: number }} Loaded the cost of loading a list of pages, without start-up and warm-up */

/**
 * Runs one of programs.mjs, and measures its process tree (including the browser) from the start signal to its answer.
 * @param {"bare" | "crawlee"} name
 * @param {import("./programs.mjs").Task} task
 * @param {AbortSignal} signal
 * @returns {Promise<Loaded>}
 */
export async function runRival(name, task, signal) {
  const program = fileURLToPath(new URL("programs.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, name, JSON.stringify(task)], {
    stdio: ["pipe", "pipe", "inherit"],
    signal,
    killSignal: "SIGKILL",
  });
  /** @type {Promise<never>} */
  const ended = new Promise((_, failed) => {
    child.once("error", failed);
    child.once("exit", (code, by) => failed(new Error(`${name} ended early (${by ?? code})`)));
  });
  ended.catch(() => undefined);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { done, value } = await Promise.race([lines.next(), ended]);
    return done ? await ended : String(value);
  };
  try {
    for (let line = ""; line !== "ready";) line = await nextLine();
    const watch = watchProcesses(() => [{ name, pid: child.pid ?? 0 }]);
    const startedAt = performance.now();
    child.stdin.write("go\n");
    const pages = Number(await nextLine());
    const seconds = (performance.now() - startedAt) / 1000;
    return { pages, seconds, cpuSeconds: watch.stop()[0]?.cpuSeconds ?? Number.NaN };
  } finally {
    child.stdin.end("bye\n");
    setTimeout(() => child.kill("SIGKILL"), 2_000).unref();
  }
}
