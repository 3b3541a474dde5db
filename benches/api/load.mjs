// @ts-check
import { Agent, get } from "node:http";

/**
 * Sends requests without pause over kept-alive connections, each connection always to the same one of the addresses.
 * @param {{ urls: readonly string[], headers: Record<string, string>, connections: number, seconds: number }} load
 * @returns {Promise<{ answered: number, p50: number, p99: number }>} times in milliseconds
 * @throws where an answer is not 200
 */
export async function ask({ urls, headers, connections, seconds }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const end = performance.now() + seconds * 1000;
  /** @type {number[]} */
  const times = [];
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      const url = urls[connection % urls.length] ?? "";
      while (performance.now() < end) {
        const began = performance.now();
        const status = await one(url, headers, agent);
        if (status !== 200) throw new Error(`${url} answered ${status}`);
        times.push(performance.now() - began);
      }
    }),
  );
  agent.destroy();
  times.sort((a, b) => a - b);
  const at = (/** @type {number} */ share) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { answered: times.length, p50: at(0.5), p99: at(0.99) };
}

/** @param {string} url @param {Record<string, string>} headers @param {Agent} agent @returns {Promise<number>} */
function one(url, headers, agent) {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers }, (response) => {
      response.once("end", () => resolve(response.statusCode ?? 0)).resume();
      response.once("error", reject);
    }).once("error", reject);
  });
}
