import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { CannotRun, type Server } from "../client.js";
import type { Screen } from "../progress.js";
import { findProduct, starterOf } from "./find-product.js";

export interface LocalParts {
  env: Readonly<Record<string, string | undefined>>;
  /** Folder for its data; default: `.web-tester` in the working directory. */
  dataDir: string | undefined;
  progress: Screen;
  signal: AbortSignal;
  /** Whether a person opens its screens in a browser: then no token is required. */
  isOpen: boolean;
}

/** A product that was started for one command. */
interface LocalProduct {
  server: Server;
  /** Stops the product with all its parts. */
  stop(): Promise<void>;
}

/** Installing and building may take minutes the first time; this limit is for a product that never gets ready. */
const readyWithinMs = 900_000;
const stopWithinMs = 20_000;
const tailChars = 4_000;

/* Environment variables meant for the user's own product are not passed on to this one. */
const notHanded =
  /^(?:npm_.*|API_TOKEN|API_TOKEN_HEADER|DATABASE_URL|NATS_URL|STORAGE_URL|SECRET_KEY|HOST|PORT|DATA_DIR|PUBLIC_URL)$/i;

/**
 * Starts the embedded product on a free port of this machine. Through its IPC channel it notices when this process has ended for any
 * reason, and then stops all of its parts.
 * @throws CannotRun with its output
 */
export async function startLocal({ env, dataDir, progress, signal, isOpen }: LocalParts): Promise<LocalProduct> {
  const product = await findProduct(env["WEB_TESTER_HOME"], [import.meta.dirname, process.cwd()]);
  signal.throwIfAborted();
  const token = isOpen ? null : randomBytes(32).toString("base64url");
  const handed = Object.fromEntries(Object.entries(env).filter(([name]) => !notHanded.test(name)));
  const child = spawn(nodeOf(product), [starterOf(product)], {
    cwd: product,
    env: {
      ...handed,
      ...{ HOST: "127.0.0.1", PORT: "0", DATA_DIR: resolve(dataDir ?? ".web-tester") },
      ...(token === null ? {} : { API_TOKEN: token }),
    },
    // a process group of its own: Ctrl-C in the terminal reaches the product only through us, after the run is cancelled
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const stop = stopOf(child);
  progress.write("Starting the product for this command …\n");
  try {
    return { server: { url: await addressOf(child, signal), token }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The Node program for the product, which needs Node.js 24.9 or newer and contains one. */
function nodeOf(product: string): string {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const packaged = join(product, "node_modules", "node", "bin", process.platform === "win32" ? "node.exe" : "node");
  return major > 24 || (major === 24 && minor >= 9) || !existsSync(packaged) ? process.execPath : packaged;
}

function addressOf(child: ChildProcess, signal: AbortSignal): Promise<string> {
  return new Promise((found, failed) => {
    let said = "";
    const read = (part: Buffer) => {
      said = (said + part.toString()).slice(-tailChars);
      const address = /ready at (http:\/\/\S+)/.exec(said)?.[1];
      if (address !== undefined) found(address);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", (error) => failed(new CannotRun(`The product could not be started: ${error.message}`)));
    child.once("exit", () => failed(new CannotRun(`The product could not be started:\n${said.trim()}`)));
    const timer = setTimeout(() => failed(new CannotRun(`The product is not ready:\n${said.trim()}`)), readyWithinMs);
    timer.unref();
    signal.addEventListener("abort", () => failed(new CannotRun("Stopped.")), { once: true });
  });
}

function stopOf(child: ChildProcess): () => Promise<void> {
  const ended = new Promise<void>((resolve_) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve_();
    child.once("exit", () => resolve_());
    child.once("error", () => resolve_());
  });
  return async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    // a second SIGTERM stops everything at once
    const hurry = setTimeout(() => child.kill("SIGTERM"), stopWithinMs);
    await ended;
    clearTimeout(hurry);
    if (child.connected) child.disconnect();
  };
}
