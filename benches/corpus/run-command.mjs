// @ts-check
import { execFile } from "node:child_process";

/**
 * Runs a program without a shell and returns its standard output.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {{ timeoutMs: number, cwd?: string }} options `timeoutMs`: the time after which the program is killed
 * @returns {Promise<string>}
 * @throws when it cannot be run, fails, or takes too long; the message contains its error output
 */
export function runCommand(program, args, { timeoutMs, cwd }) {
  return new Promise((resolve, reject) => {
    execFile(
      program,
      args,
      {
        timeout: timeoutMs,
        killSignal: "SIGKILL",
        cwd,
        maxBuffer: 16 * 1024 * 1024,
        env: { ...process.env, LC_ALL: "C" },
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else if (error.code === "ENOENT") reject(new Error(`${program} is not installed`));
        else if (error.killed === true)
          reject(new Error(`${program} ${args.join(" ")} was not done after ${timeoutMs / 1000} s`));
        else reject(new Error(`${program} ${args.join(" ")} failed: ${stderr.trim() || error.message}`));
      },
    );
  });
}
