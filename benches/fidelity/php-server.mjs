// @ts-check
import { execFileSync, spawn } from "node:child_process";
import { createServer } from "node:net";

/**
 * @typedef {object} Wiki software with pages that only its user sees, each with the words "What members read on page N."
 * @property {string} name
 * @property {string} url
 * @property {string[]} pages their addresses, in the order of N
 * @property {import("@web-tester/contracts/login-steps").LoginStep[]} login the steps by which its user signs in
 * @property {() => Promise<void>} close
 */

export function hasPhp() {
  try {
    execFileSync("php", ["-v"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** @returns {Promise<number>} */
export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** @param {string} url */
async function answers(url) {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      const answer = await fetch(url);
      await answer.arrayBuffer();
      if (answer.status < 500) return;
    } catch {
      // not yet
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} did not answer within 10 s.`);
}

/**
 * Serves a folder with PHP's own server; resolves once it answers.
 * @param {string} url of the server
 * @param {string} folder
 * @param {string} first an address that has to answer
 * @param {Record<string, string>} env
 */
export async function servePhp(url, folder, first, env) {
  const server = spawn("php", ["-S", new URL(url).host, "-t", folder], {
    stdio: "ignore",
    // a process group of its own, as its workers outlive their parent
    detached: true,
    env: { ...process.env, PHP_CLI_SERVER_WORKERS: "4", ...env },
  });
  const kill = () => {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, "SIGTERM");
  };
  try {
    await answers(first);
  } catch (error) {
    kill();
    throw error;
  }
  return { kill };
}
