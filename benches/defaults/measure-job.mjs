// @ts-check
import { fileURLToPath } from "node:url";
import { setTimeout as sleep } from "node:timers/promises";
import { watchProcesses } from "../lib/processes.mjs";
import { storedBytes } from "../lib/stored-bytes.mjs";
import { waitFor } from "../lib/wait-for.mjs";

/**
 * One piece of work. `seconds`: the time until the run ended; `use`: what was used until the product was at rest again.
 * @typedef {{ name: string, seconds: number, use: import("../lib/processes.mjs").PartUse[], counted: string }} Step
 */

const timeoutMs = 15 * 60_000;
/** The product is at rest when it used less than `restShare` of one processor for this long. */
const restMs = 2_000;
const restShare = Number(process.env["REST_SHARE"] ?? 0.1);

/**
 * Crawls and fetches a site with the defaults, one step after the other.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {{ address: string, setVersion: (version: string) => void, signal: AbortSignal }} options
 */
export async function measureJob({ rest, database, storageUrl, parts }, { address, setVersion, signal }) {
  const { id } = await rest.call("createTestObject", { body: { name: "As people run it", url: address } });
  /** @type {Step[]} */
  const steps = [];

  const ended = (/** @type {string | null} */ runId) => async () => {
    const { rowCount } = await database.query("SELECT 1 FROM run WHERE id = $1 AND state <> 'running'", [runId]);
    return rowCount === 0 ? undefined : true;
  };
  const hasNoneWaiting = async () => {
    const { rows } = await database.query(`
      SELECT (SELECT count(*) FROM change WHERE state = 'queued') + (SELECT count(*) FROM search_entry WHERE pack_id IS NULL AND problem IS NULL) AS n`);
    return Number(rows[0].n) === 0 ? true : undefined;
  };
  const atRest = async () => {
    if ((await hasNoneWaiting()) === undefined) return undefined;
    const watch = watchProcesses(parts);
    await sleep(restMs, undefined, { signal });
    const used = watch.stop().reduce((sum, part) => sum + part.cpuSeconds, 0);
    return used < (restShare * restMs) / 1000 ? true : undefined;
  };

  const step = async (
    /** @type {string} */ name,
    /** @type {() => Promise<string | null>} */ start,
    /** @type {string} */ counts,
  ) => {
    await waitFor(atRest, { what: `rest before: ${name}`, timeoutMs, signal });
    const watch = watchProcesses(parts);
    const began = performance.now();
    const runId = await start();
    await waitFor(ended(runId), { what: name, timeoutMs, everyMs: 100, signal });
    const seconds = (performance.now() - began) / 1000;
    await waitFor(atRest, { what: `rest after: ${name}`, timeoutMs, signal });
    const use = watch.stop();
    const { rows } = await database.query(counts, [runId]);
    steps.push({ name, seconds, use, counted: JSON.stringify(rows[0]) });
  };
  const fetched = `
    SELECT r.completed::int, r.failed::int, r.changed::int, (SELECT count(*)::int FROM test_snapshot s WHERE s.run_id = r.id AND s.http_status = 304) AS not_modified
    FROM run r WHERE r.id = $1`;
  const fetchAll = async () => (await rest.call("snapshotAll", { params: { id } })).runId;

  await step(
    "crawl",
    async () => (await rest.call("crawl", { params: { id } })).runId,
    "SELECT completed::int, failed::int, (SELECT count(*)::int FROM test_instance) AS pages FROM run WHERE id = $1",
  );
  await step("first fetch", fetchAll, fetched);
  await step("nothing changed", fetchAll, fetched);
  await rest.call("updateTestObject", { params: { id }, body: { asset_snapshots: false } });
  await step("nothing changed, no files", fetchAll, fetched);
  await rest.call("updateTestObject", { params: { id }, body: { asset_snapshots: true } });
  setVersion("after");
  await step("next release", fetchAll, fetched);

  const { database: databaseBytes, blobBytes } = await storedBytes(database, fileURLToPath(storageUrl));
  const { rows } = await database.query(`
    SELECT c.relname AS name, pg_total_relation_size(c.oid) AS bytes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname = 'public' ORDER BY 2 DESC LIMIT 8`);
  const { rows: sections } = await database.query(
    "SELECT scope, count(*)::int AS packs, sum(text_bytes)::bigint AS text, sum(c.stored_size)::bigint AS body, sum(length(filter))::bigint AS filter FROM search_section s JOIN content c ON c.hash = s.content_hash GROUP BY scope",
  );
  return {
    steps,
    databaseBytes,
    blobBytes,
    tables: rows.map(({ name, bytes }) => ({ name: String(name), bytes: Number(bytes) })),
    segments: sections.map(({ scope, packs, text, body, filter }) => ({
      scope: String(scope),
      packs: Number(packs),
      textBytes: Number(text),
      bodyBytes: Number(body),
      filterBytes: Number(filter),
    })),
  };
}
