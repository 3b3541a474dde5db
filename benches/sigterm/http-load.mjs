// @ts-check
import { Agent, get } from "node:http";

/**
 * @typedef {object} LoadReport
 * @property {number} answered
 * @property {number} movedOn number of refused connections after which another server was asked, as every load balancer does
 * @property {string[]} failed requests that were accepted but not answered successfully
 */

const readyEveryMs = 100;
const answerWithinMs = 30_000;

/**
 * Sends requests to several servers without pause, as a load balancer does: to those whose `/readyz` answers 200. Connections are kept alive.
 * @param {{ origins: readonly string[], path: () => string, clients: number }} load
 * @returns {{ report: Readonly<LoadReport>, stop: () => Promise<LoadReport> }} `report`: the figures so far
 */
export function startHttpLoad({ origins, path, clients }) {
  const agent = new Agent({ keepAlive: true });
  /** @type {Set<string>} */
  const ready = new Set();
  /** @type {LoadReport} */
  const report = { answered: 0, movedOn: 0, failed: [] };
  let stopping = false;

  async function watchReadiness() {
    while (!stopping) {
      await Promise.all(
        origins.map(async (origin) => {
          const status = await ask(`${origin}/readyz`, new Agent()).catch(() => 0);
          if (status === 200) ready.add(origin);
          else ready.delete(origin);
        }),
      );
      await pause(readyEveryMs);
    }
  }

  async function client() {
    while (!stopping) {
      const usable = [...ready];
      const origin = usable[Math.floor(Math.random() * usable.length)];
      if (origin === undefined) {
        await pause(20);
        continue;
      }
      const wanted = path();
      try {
        const status = await ask(origin + wanted, agent);
        if (status >= 200 && status < 400) report.answered += 1;
        else report.failed.push(`${wanted}: status ${status}`);
      } catch (error) {
        if (/ECONNREFUSED/.test(String(error))) {
          ready.delete(origin);
          report.movedOn += 1;
        } else report.failed.push(`${wanted}: ${String(error)}`);
      }
    }
  }

  const all = [watchReadiness(), ...Array.from({ length: clients }, client)];
  return {
    report,
    async stop() {
      stopping = true;
      await Promise.all(all);
      agent.destroy();
      return report;
    },
  };
}

/** @param {string} url @param {Agent} agent @returns {Promise<number>} the status, once the whole answer has arrived */
function ask(url, agent) {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, timeout: answerWithinMs }, (response) => {
      response.on("error", reject);
      response.on("end", () => (response.complete ? resolve(response.statusCode ?? 0) : reject(new Error("cut off"))));
      response.resume();
    });
    request.on("timeout", () => request.destroy(new Error("no answer")));
    request.on("error", reject);
  });
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
