// @ts-check
import { watchProcesses } from "../lib/processes.mjs";
import { waitFor } from "../lib/wait-for.mjs";

/**
 * One crawl or fetch, measured from its request to its last counted row; CPU and memory are measured until the differ has finished with it.
 * @typedef {object} Phase
 * @property {string} name
 * @property {string} runId
 * @property {number} seconds until the run was shown as finished
 * @property {number} settleSeconds from then until every change was recorded
 * @property {import("../lib/processes.mjs").PartUse[]} use
 * @property {import("../corpus/serve.mjs").ServeStats} served the requests that the site got meanwhile
 * @property {import("@web-tester/contracts/entities/run").Progress} progress the last one seen
 * @property {string[]} wrongProgress messages about counters that decreased or exceeded their total
 */

const runTimeoutMs = 180_000;
const settleTimeoutMs = 90_000;

/**
 * @param {string} name
 * @param {object} around
 * @param {import("../lib/stack.mjs").Product} around.product
 * @param {import("../corpus/serve.mjs").ServedSite} around.site
 * @param {string} around.objectId
 * @param {AbortSignal} around.signal
 * @param {"crawl" | "snapshotAll"} kind
 * @param {() => Promise<string>} start requests the run and returns its id
 * @returns {Promise<Phase>}
 */
export async function measurePhase(name, { product, site, objectId, signal }, kind, start) {
  site.resetStats();
  const watch = watchProcesses(() => [...product.parts(), { name: "bench", pid: process.pid }]);
  try {
    const startedAt = performance.now();
    const runId = await start();
    const follow = followProgress();
    const progress = await waitFor(
      async () => {
        const object = await product.rest.call("getTestObject", { params: { id: objectId } });
        if (Array.isArray(object)) throw new Error("The test object has disappeared");
        const now = object.progress[kind];
        if (now.runId !== runId) return undefined;
        follow.look(now);
        return now.running ? undefined : now;
      },
      { what: `${name} finished`, timeoutMs: runTimeoutMs, everyMs: 250, signal },
    );
    const finishedAt = performance.now();
    await waitFor(
      async () => {
        const { rows } = await product.database.query("SELECT count(*) AS left FROM change WHERE state = 'queued'");
        return rows[0].left === "0" ? true : undefined;
      },
      { what: `every change of ${name} recorded`, timeoutMs: settleTimeoutMs, signal },
    );
    const settledAt = performance.now();
    return {
      name,
      runId,
      seconds: (finishedAt - startedAt) / 1000,
      settleSeconds: (settledAt - finishedAt) / 1000,
      use: watch.stop(),
      served: site.stats(),
      progress,
      wrongProgress: follow.wrong,
    };
  } finally {
    watch.stop();
  }
}

/** Returns a checker that counters never decrease and stay within their total. */
export function followProgress() {
  /** @type {string[]} */
  const wrong = [];
  let last = { completed: 0, failed: 0, total: 0 };
  return {
    wrong,
    /** @param {{ completed: number, failed: number, total: number }} now */
    look: (now) => {
      const went =
        now.completed < last.completed || now.failed < last.failed || now.total < last.total
          ? "went back"
          : now.completed > now.total || now.failed > now.completed
            ? "went beyond"
            : "";
      if (went !== "")
        wrong.push(
          `${went}: ${now.completed} (${now.failed} failed) of ${now.total} after ${last.completed} (${last.failed}) of ${last.total}`,
        );
      last = now;
    },
  };
}
