// @ts-check
import { Agent, get } from "node:http";

/**
 * Requests /healthz again and again over a connection of its own.
 * @param {string} address
 * @param {number} everyMs
 * @returns {{ stop: () => Promise<{ p50: number, p99: number, longest: number, asked: number, failed: number }> }} times in milliseconds
 */
export function watchHealth(address, everyMs) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** @type {number[]} */
  const times = [];
  let failed = 0;
  let goesOn = true;
  const watching = (async () => {
    while (goesOn) {
      const began = performance.now();
      if (await isAlive(`${address}/healthz`, agent)) times.push(performance.now() - began);
      else failed += 1;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return {
    async stop() {
      goesOn = false;
      await watching;
      agent.destroy();
      times.sort((a, b) => a - b);
      const at = (/** @type {number} */ share) =>
        times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
      return { p50: at(0.5), p99: at(0.99), longest: times.at(-1) ?? 0, asked: times.length + failed, failed };
    },
  };
}

/** @param {string} url @param {Agent} agent @returns {Promise<boolean>} */
function isAlive(url, agent) {
  return new Promise((resolve) => {
    const asked = get(url, { agent, timeout: 30_000 }, (response) => {
      response.once("end", () => resolve(response.statusCode === 200)).resume();
      response.once("error", () => resolve(false));
    });
    asked.once("timeout", () => asked.destroy());
    asked.once("error", () => resolve(false));
  });
}
