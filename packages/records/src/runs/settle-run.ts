import type { Queryable } from "@web-tester/platform/database/database";
import { stays } from "../instances/going.js";
import { ofAnySize } from "./of-any-size.js";

/** SQL: whether the page `page` has a verdict of its own in run $1, or each of its kinds has one. @param kinds SQL of a table `h` with their `fingerprint`s */
const isSettled = (page: string, kinds: string) => `(
      EXISTS (SELECT 1 FROM verdict p WHERE p.run_id = $1 AND p.test_instance_id = ${page}) OR coalesce((
        SELECT bool_and(EXISTS (SELECT 1 FROM verdict v WHERE v.run_id = $1 AND v.fingerprint = h.fingerprint)) FROM ${kinds}), false))`;

/*
 * A changed page is settled by a verdict of its own, or if each kind of its changes has one. All pages are recounted, because a verdict on
 * a group may settle ten thousand pages or none. Everything is looked up by its key: see `ofAnySize`.
 */
const pages = (which: "settled" | "waiting", isMeant: (page: string) => string) => `(
    SELECT count(*)::int FROM change c JOIN test_snapshot s ON s.id = c.snapshot_id
    WHERE c.run_id = ${ofAnySize("$1")} AND c.state = 'done' AND c.kind = 'changed' AND c.significant
      AND ${isSettled("s.test_instance_id", "unnest(c.hunks) AS h (fingerprint)")} = ${which === "settled"} AND ${isMeant("s.test_instance_id")}
  ) + (
    SELECT count(*)::int FROM compared_page c
    WHERE c.run_id = ${ofAnySize("$1")} AND c.state = 'done' AND c.kind IN ('changed', 'new', 'gone')
      AND ${isSettled("c.test_instance_id", "compared_hunk h WHERE h.page_id = c.id")} = ${which === "settled"} AND ${isMeant("c.test_instance_id")}
  )`;
/* A run that is over keeps its number of changed pages as history: pages that were deleted since count as settled too. */
const settle = `UPDATE run SET settled = greatest(0, changed - (${pages("waiting", () => "true")})) WHERE id = $1 RETURNING changed, settled`;
const count = `SELECT CASE WHEN EXISTS (SELECT 1 FROM verdict WHERE run_id = $1) THEN ${pages("settled", stays)} ELSE 0 END AS settled`;

/** Counts the settled changed pages of a run, without pages that are about to be deleted. */
export async function countSettled(db: Queryable, runId: string): Promise<number> {
  const [row] = await db.query<{ settled: number }>(count, [runId]);
  return row?.settled ?? 0;
}

const unsettled = `
  SELECT id FROM run WHERE test_object_id = $1 AND (kind = 'compare' AND changed > settled OR id = (
    SELECT id FROM run WHERE test_object_id = $1 AND kind = 'snapshot-all' ORDER BY id DESC LIMIT 1
  )) ORDER BY id`;

/**
 * Recounts the settled pages of an object's runs after pages were deleted, but only of runs whose number of waiting pages is shown: the
 * newest fetch, and comparisons with waiting pages.
 */
export async function settleAfterDeletion(tx: Queryable, objectId: string): Promise<void> {
  for (const { id } of await tx.query<{ id: string }>(unsettled, [objectId])) await settleRun(tx, id);
}

/** Recounts the settled changed pages of a run. */
export async function settleRun(tx: Queryable, runId: string): Promise<{ changed: number; settled: number }> {
  const [row] = await tx.query<{ changed: number; settled: number }>(settle, [runId]);
  return row ?? { changed: 0, settled: 0 };
}
