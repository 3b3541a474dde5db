// @ts-check
import { waitFor } from "../lib/wait-for.mjs";

/**
 * @typedef {object} Site whose pages differ at every fetch
 * @property {string} name
 * @property {string} url
 * @property {string[]} pages
 * @property {(page: number, seed: number) => void} edit changes the text of a page
 * @property {() => void} [newYear] changes the footer of every page
 * @property {boolean} [accepts] its pages are so short that relative times are more than 5 % of their text: their rule is
 *   only proposed, and the bench accepts it
 * @property {() => Promise<void>} close
 */

/** @param {import("../lib/stack.mjs").Product} product @param {Site} site @returns {Promise<string>} id of the object */
export async function register({ rest, database }, site) {
  const { id } = await rest.call("createTestObject", { body: { name: site.name, url: site.url } });
  await rest.call("updateTestObject", { params: { id }, body: { fetch_mode: "http" } });
  await database.query(
    "INSERT INTO test_instance (test_object_id, url, name) SELECT $1, u, u FROM unnest($2::text[]) AS u",
    [id, site.pages],
  );
  return id;
}

/** Creating a site and editing it block this process; this pause lets it notice the connections that the product has closed meanwhile. */
const noticeClosed = () => new Promise((resolve) => setTimeout(resolve, 200));

/**
 * Waits until no run is going on and all changes are compared.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {string} id
 * @param {AbortSignal} signal
 */
export async function settled({ rest, database }, id, signal) {
  return waitFor(
    async () => {
      const { items } = await rest.call("listRuns", { params: { id }, query: { limit: 100 } });
      if (items.some(({ state }) => state === "running")) return undefined;
      const { rows } = await database.query("SELECT 1 FROM change WHERE state <> 'done' LIMIT 1");
      return rows.length === 0 ? items : undefined;
    },
    { what: "the end of all runs", timeoutMs: 900_000, everyMs: 50, signal },
  );
}

/** @param {import("../lib/stack.mjs").Product} product @param {string} id @param {AbortSignal} signal */
export async function fetchAll(product, id, signal) {
  await product.rest.call("snapshotAll", { params: { id } });
  const runs = await settled(product, id, signal);
  const run = runs.find(({ kind }) => kind === "snapshot-all");
  if (run === undefined) throw new Error("There is no run of a fetch");
  return run;
}

/**
 * Learns the noise of a site, fetches again without an edit, and then with edits.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {Site} site
 * @param {{ fetches: number, edits: number }} how
 * @param {import("../lib/report.mjs").Report} report
 * @param {AbortSignal} signal
 */
export async function tryLearning(product, site, { fetches, edits }, report, signal) {
  const { rest } = product;
  report.begin(`${site.name}, ${site.pages.length} pages`);
  await noticeClosed();
  const id = await register(product, site);
  await fetchAll(product, id, signal);
  const before = await fetchAll(product, id, signal);
  report.log(`    without rules, and without an edit: ${before.changed} of ${before.total} pages changed`);
  await rest.call("findNoise", { params: { id }, body: { apply: true } });
  await settled(product, id, signal);
  const { items } = await rest.call("listRules", { params: { id } });
  for (const rule of items) report.log(`    ${rule.state}: ${rule.note} (${rule.evidence?.pages} pages)`);
  for (const rule of items.filter(({ state }) => site.accepts === true && state === "proposed")) {
    report.log(`    accepted by hand: ${rule.note}`);
    await rest.call("updateRule", { params: { id: rule.id }, body: { state: "active" } });
  }
  await settled(product, id, signal);
  let changed = 0;
  for (let round = 0; round < fetches; round += 1) {
    const run = await fetchAll(product, id, signal);
    changed += run.changed;
    if (run.changed === 0) continue;
    const { groups } = await rest.call("getReview", { params: { id: run.id }, query: {} });
    for (const { pages, removed, added } of groups) report.log(`    told on ${pages} pages:\n- ${removed}\n+ ${added}`);
  }
  report.equal(`significant changes of ${fetches} fetches without an edit`, 0, changed);
  const step = Math.max(1, Math.floor(site.pages.length / edits));
  /** @type {Set<string>} */
  const edited = new Set();
  for (let seed = 0; seed < edits && seed * step < site.pages.length; seed += 1) {
    site.edit(seed * step, seed);
    edited.add(site.pages[seed * step] ?? "");
  }
  await noticeClosed();
  const run = await fetchAll(product, id, signal);
  /** @type {Set<string>} */
  const told = new Set();
  /** @type {string | undefined} */
  let cursor;
  do {
    /** @type {import("@web-tester/contracts/api").Response<"listReviewPages">} */
    const part = await rest.call("listReviewPages", {
      params: { id: run.id },
      query: { kind: "changed", limit: 1_000, cursor },
    });
    for (const { instance } of part.items) told.add(instance.url);
    cursor = part.nextCursor ?? undefined;
  } while (cursor !== undefined);
  report.sameSet(`edited pages among those that are told`, edited, told);
}
