// @ts-check
import { mkdtemp, readdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { watchProcesses } from "../lib/processes.mjs";
import { waitFor } from "../lib/wait-for.mjs";

const timeoutMs = 300_000;

/**
 * Fetches all pages of a site that was crawled just before, and measures all processes of the product from the request
 * until the last change is recorded. Afterwards all stored contents are removed, so that the next call stores everything
 * again.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} url
 * @param {AbortSignal} signal
 * @returns {Promise<{ done: number, use: import("../lib/processes.mjs").PartUse[] }>}
 */
export async function fetchOnce({ rest, database, storageUrl, parts }, url, signal) {
  const { id } = await rest.call("createTestObject", { body: { name: "Fetched by the bench", url } });
  await rest.call("updateTestObject", { params: { id }, body: { asset_snapshots: false, fetch_mode: "http" } });
  const ended = async (/** @type {string | null} */ runId) => {
    const { rows } = await database.query(
      "SELECT 1 FROM run WHERE id = $1 AND state <> 'running' AND NOT EXISTS (SELECT 1 FROM change WHERE state = 'queued')",
      [runId],
    );
    return rows.length > 0 ? true : undefined;
  };
  const crawl = await rest.call("crawl", { params: { id } });
  await waitFor(() => ended(crawl.runId), { what: "the crawl", timeoutMs, signal });
  const watch = watchProcesses(() => parts());
  const { runId } = await rest.call("snapshotAll", { params: { id } });
  await waitFor(() => ended(runId), { what: "the fetch", timeoutMs, signal });
  const use = watch.stop();
  const { rows } = await database.query(
    "SELECT count(*)::int AS done FROM test_snapshot WHERE run_id = $1 AND state = 'done'",
    [runId],
  );
  await rest.call("deleteTestObject", { params: { id } });
  await waitFor(
    async () =>
      (await database.query("SELECT 1 FROM test_object WHERE id = $1", [id])).rowCount === 0 ? true : undefined,
    { what: "the deletion of what was fetched", timeoutMs, signal },
  );
  await database.query("UPDATE content SET base_hash = NULL");
  await database.query("DELETE FROM content");
  await putAside(fileURLToPath(storageUrl));
  return { done: rows[0].done, use };
}

/**
 * Moves the stored files out of the product's sight, but leaves them on the disk: for minutes after files were deleted,
 * ext4 checks the place of each of them whenever a file is created (up to 1 ms of processor time), a cost that the rivals,
 * who delete nothing, do not have.
 * @param {string} folder
 */
async function putAside(folder) {
  const aside = await mkdtemp(`${folder}-aside-`);
  for (const name of await readdir(folder))
    if (/^[0-9a-f]{2}$/.test(name)) await rename(join(folder, name), join(aside, name));
}
