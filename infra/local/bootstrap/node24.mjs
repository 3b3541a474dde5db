// @ts-check
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./project.mjs";

/** The Node executable of the npm package `node`. */
export const packagedNode = join(
  root,
  "node_modules",
  "node",
  "bin",
  process.platform === "win32" ? "node.exe" : "node",
);

/** Whether a version of Node can run the product: jest's ES modules need 24.9. */
/** @param {string} version such as 24.21.0 */
export function isNode24(version) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > 24 || (major === 24 && minor >= 9);
}

/**
 * Runs one of our programs under Node 24 as if it were this process: it receives our signals and ends when we are killed. If this
 * process is new enough, the program runs in it.
 * @param {string} script relative to the checkout
 * @param {string[]} args
 * @returns {Promise<void>} when it is another process, the exit code is set at its end
 */
export async function runUnderNode24(script, args) {
  const path = join(root, script);
  if (isNode24(process.versions.node)) {
    process.argv.splice(1, process.argv.length, path, ...args);
    await import(pathToFileURL(path).href);
    return;
  }
  if (!existsSync(packagedNode)) {
    process.stderr.write(
      `Node.js 24.9 or newer is needed and ${packagedNode} is missing: delete the folder node_modules and try again, or install Node.js 24.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const env = { ...process.env, PATH: `${dirname(packagedNode)}${delimiter}${process.env["PATH"] ?? ""}` };
  // It has its own process group, so that Ctrl-C in the terminal reaches it only once, through us.
  const child = spawn(packagedNode, [path, ...args], {
    cwd: process.cwd(),
    env,
    detached: true,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM", "SIGHUP"]))
    process.on(signal, () => child.kill(signal));
  onParentGone(() => child.kill("SIGTERM"));
  await new Promise((resolve) => {
    child.once("error", (error) => {
      process.stderr.write(`${packagedNode} cannot be run: ${error.message}\n`);
      process.exitCode = 1;
      resolve(undefined);
    });
    child.once("exit", (code) => {
      process.exitCode = code ?? 1;
      resolve(undefined);
    });
  });
  // The handlers above do not keep this process alive, but the IPC channel may.
  process.exit();
}

/**
 * Calls back when npm, which started us, died without a signal to us (kill -9). Does nothing when a person started us directly: such a
 * program may well be meant to outlive its shell.
 * @param {() => void} callback
 */
export function onParentGone(callback) {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, 500);
  timer.unref();
}
