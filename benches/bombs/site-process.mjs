// @ts-check
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** @typedef {{ url: string, pid: number, close: () => Promise<void> }} Site `url` ends in a slash */

/**
 * Starts serve.mjs, which ends with this process, however that ends.
 * @param {"good" | "bombs"} name
 * @param {AbortSignal} signal
 * @returns {Promise<Site>}
 */
export async function startSite(name, signal) {
  const program = fileURLToPath(new URL("serve.mjs", import.meta.url));
  const child = spawn(process.execPath, [program, name], {
    stdio: ["pipe", "pipe", "inherit"],
    signal,
    killSignal: "SIGKILL",
  });
  child.on("error", () => undefined); // its exit, which is awaited, says enough
  const ended = once(child, "exit");
  const [url] = await Promise.race([
    once(createInterface({ input: child.stdout }), "line"),
    ended.then(() => {
      throw new Error(`The site "${name}" did not start`);
    }),
  ]);
  return {
    url,
    pid: child.pid ?? 0,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
