// @ts-check
import { spawn } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";

/**
 * Runs a program and appends its output to a file.
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: NodeJS.ProcessEnv, logFile: string }} options the log is appended to
 * @returns {Promise<{ ok: boolean, how: string }>} `how` it ended, in words
 */
export async function runToLog(command, args, { cwd, env = process.env, logFile }) {
  const log = openSync(logFile, "a");
  try {
    return await new Promise((resolve) => {
      const child = spawn(command, args, { cwd, env, stdio: ["ignore", log, log] });
      child.once("error", (error) => resolve({ ok: false, how: error.message }));
      child.once("exit", (code, signal) =>
        resolve({ ok: code === 0, how: signal === null ? `exit code ${code}` : `killed by ${signal}` }),
      );
    });
  } finally {
    closeSync(log);
  }
}

/**
 * Returns the last lines of a log.
 * @param {string} path
 * @param {number} lines
 */
export function tailOf(path, lines) {
  return readFileSync(path, "utf8").trimEnd().split("\n").slice(-lines).join("\n");
}
