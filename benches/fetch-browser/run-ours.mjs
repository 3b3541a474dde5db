// @ts-check
import { watchProcesses } from "../lib/processes.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const timeoutMs = 900_000;

/**
 * Creates an object in browser mode whose instances are these pages.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} site
 * @param {readonly string[]} urls
 * @returns {Promise<string>} its id
 */
export async function registerPages({ rest, database }, site, urls) {
  const { id } = await rest.call("createTestObject", { body: { name: "Fetched by the bench", url: site } });
  await rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "browser" } });
  await database.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) AS u",
    [id, urls],
  );
  return id;
}

/**
 * Fetches every page of an object.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} id
 * @param {AbortSignal} signal
 * @param {(completed: number) => void} [onProgress]
 * @returns {Promise<import("./run-rival.mjs").Loaded>} the cost of the fetcher and its browser
 */
export async function fetchPages({ rest, parts }, id, signal, onProgress = () => {}) {
  const watch = watchProcesses(() => parts().filter(({ name }) => name === "fetcher"));
  const startedAt = performance.now();
  const { runId } = await rest.call("snapshotAll", { params: { id } });
  const done = await waitFor(
    async () => {
      const object = await rest.call("getTestObject", { params: { id } });
      if (Array.isArray(object)) throw new Error("The test object has disappeared");
      const { snapshotAll } = object.progress;
      if (snapshotAll.runId !== runId) return undefined;
      onProgress(snapshotAll.completed);
      return snapshotAll.running
        ? undefined
        : { at: performance.now(), pages: snapshotAll.completed - snapshotAll.failed };
    },
    { what: "the fetch", timeoutMs, everyMs: 250, signal },
  );
  return {
    pages: done.pages,
    seconds: (done.at - startedAt) / 1000,
    cpuSeconds: watch.stop()[0]?.cpuSeconds ?? Number.NaN,
  };
}
