// @ts-check
import { askProduct } from "../search/ask-product.mjs";
import { rareWord } from "./serve-changing-site.mjs";

/** @typedef {{ name: string, ask: () => Promise<unknown> }} Question a question that a screen asks */

/**
 * Returns the questions that screens ask about a large object, and about many objects.
 * @param {import("../lib/stack.mjs").Product} product
 * @param {{ id: string, runId: string, pages: number }} object `runId`: its last fetch
 * @returns {Promise<Question[]>}
 */
export async function questionsOf({ rest, database, address }, { id, runId, pages }) {
  const { rows } = await database.query(
    `SELECT c.snapshot_id AS newer, c.previous_id AS older, s.test_instance_id AS instance, i.url
       FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id JOIN test_instance i ON i.id = s.test_instance_id
      WHERE s.run_id = $1 AND c.kind = 'changed' LIMIT 50`,
    [runId],
  );
  if (rows.length === 0) throw new Error("The last fetch changed nothing");
  let turn = 0;
  /** Returns another page for each question. @returns {{ newer: string, older: string, instance: string, url: string }} */
  const changed = () => rows[turn++ % rows.length];
  const params = { id };
  const since = new Date(Date.now() - 86_400_000).toISOString();
  const list = (/** @type {import("@web-tester/contracts/api").QueryInput<"listTestInstances">} */ query) => () =>
    rest.call("listTestInstances", { params, query });
  const search = (/** @type {() => string} */ phrase) => () => askProduct(address, id, phrase());
  return [
    { name: "home: all objects", ask: () => rest.call("listTestObjects") },
    { name: "home: days of all objects", ask: () => rest.call("listAllDays", { query: {} }) },
    { name: "object", ask: () => rest.call("getTestObject", { params }) },
    { name: "object: days", ask: () => rest.call("listRunDays", { params, query: {} }) },
    { name: "object: runs", ask: () => rest.call("listRuns", { params, query: {} }) },
    { name: "pages: the first", ask: list({}) },
    { name: "pages: the last", ask: list({ offset: pages - 50 }) },
    { name: "pages: by name", ask: list({ sort: "name" }) },
    { name: "pages: by their last change", ask: list({ sort: "changed" }) },
    { name: "pages: by size", ask: list({ sort: "size" }) },
    { name: "pages: changed", ask: list({ status: "changed" }) },
    { name: "pages: with a text", ask: () => list({ q: `part ${turn++ % pages}` })() },
    { name: "changes since yesterday", ask: () => rest.call("listChanges", { params, query: { since } }) },
    { name: "review", ask: () => rest.call("getReview", { params: { id: runId }, query: {} }) },
    { name: "review: pages", ask: () => rest.call("listReviewPages", { params: { id: runId }, query: {} }) },
    {
      name: "comparison of all pages",
      ask: () => rest.call("getBulkDiff", { params, query: { idx1: 1, idx2: 0, html: "false" } }),
    },
    {
      name: "page with its snapshots",
      ask: () => rest.call("getTestInstance", { params: { id: changed().instance } }),
    },
    {
      name: "comparison of two snapshots",
      ask: async () => {
        const { older, newer } = changed();
        return rest.call("getDiffHunks", { query: { a: older, b: newer } });
      },
    },
    {
      name: "which snapshot brought a line",
      ask: async () => rest.call("traceInSnapshots", { params: { id: changed().newer }, query: { line: 15 } }),
    },
    { name: "search: rare", ask: search(() => rareWord(turn++ % pages, 0)) },
    { name: "search: common", ask: search(() => "handbook") },
    { name: "search: nowhere", ask: search(() => `nowhere${turn++}`) },
  ];
}
