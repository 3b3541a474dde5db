// @ts-check
import { waitFor } from "./wait-for.mjs";

const runTimeoutMs = 300_000;

/**
 * @param {Pick<import("./stack.mjs").Product, "rest" | "database">} product
 * @param {string} id of a test object
 * @param {AbortSignal} signal
 * @returns {(kind: "crawl" | "snapshotAll", meanwhile?: () => Promise<void>) => Promise<string>} starts a run, waits for
 *   its end, including comparisons, and returns its id. `meanwhile` is called once the run has started
 */
export function runner({ rest, database }, id, signal) {
  return async (kind, meanwhile) => {
    const { runId } = await rest.call(kind, { params: { id } });
    if (runId === null) throw new Error("There is nothing to fetch");
    await meanwhile?.();
    await waitFor(
      async () => {
        // while the database server is down, the state is unknown
        const found = await database
          .query(
            "SELECT 1 FROM run WHERE id = $1 AND state <> 'running' AND NOT EXISTS (SELECT 1 FROM change WHERE state = 'queued')",
            [runId],
          )
          .catch(() => undefined);
        return found !== undefined && found.rows.length > 0 ? true : undefined;
      },
      { what: `the ${kind} ended`, timeoutMs: runTimeoutMs, signal },
    );
    return runId;
  };
}
