import type { Queryable } from "@web-tester/platform/database/database";
import { wantLook, type WantedLook } from "../runs/look-run.js";
import { missedMax, selectFreshToLookAt, selectToLookAt } from "./missed-pages.js";

/** The most pages of a fetch that are looked at again. */
const shakenMax = 1_000;

/* Pages with new failures, or with changes that count. */
const shaken = `
  SELECT s.test_instance_id AS id FROM test_snapshot s LEFT JOIN change c ON c.snapshot_id = s.id
  WHERE s.run_id = $1 AND (
    (c.state = 'done' AND c.kind = 'changed' AND c.significant)
    OR (s.state = 'failed' AND EXISTS (
      SELECT 1 FROM test_snapshot p WHERE p.id = (
        SELECT q.id FROM test_snapshot q WHERE q.test_instance_id = s.test_instance_id AND q.id < s.id AND q.state IN ('done', 'failed') ORDER BY q.id DESC LIMIT 1
      ) AND p.state = 'done')))
  ORDER BY s.state = 'failed' DESC, s.id LIMIT $2`;

/** @returns the instances of a run that have to be looked at again: at most a thousand of a fetch, ten thousand that a crawl misses */
export async function selectLookPages(
  tx: Queryable,
  { id, kind, stage, objectId }: Pick<WantedLook, "id" | "kind" | "stage" | "objectId">,
  limit = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  if (kind === "snapshot-all") {
    const rows = await tx.query<{ id: string }>(shaken, [id, Math.min(limit, shakenMax)]);
    return rows.map((row) => row.id);
  }
  const run = { id, kind, objectId };
  return stage === 1 ? selectToLookAt(tx, run, Math.min(limit, missedMax)) : selectFreshToLookAt(tx, run);
}

/**
 * Decides, when a run or a look at its pages has ended, whether pages have to be looked at (again) before the run is reported.
 * @param run.stage number of looks so far
 * @returns whether the run has to wait for a look
 */
export async function wantsLook(
  tx: Queryable,
  run: Pick<WantedLook, "id" | "kind" | "stage" | "objectId">,
): Promise<boolean> {
  const stage = run.stage + 1;
  const isFetch = run.kind === "snapshot-all";
  if (stage > (isFetch ? 1 : 2)) return false;
  const after = isFetch ? await confirmAfter(tx, run.objectId) : 0;
  if (isFetch && after === 0) return false;
  const pages = await selectLookPages(tx, { ...run, stage }, 1);
  // if there is no missing page to look at, new pages may still be the places to which pages moved
  if (pages.length === 0) return !isFetch && stage === 1 ? wantsLook(tx, { ...run, stage }) : false;
  await wantLook(tx, run.id, stage, after);
  return true;
}

async function confirmAfter(tx: Queryable, objectId: string): Promise<number> {
  const [row] = await tx.query<{ after: number }>(`SELECT confirm_after_s AS after FROM test_object WHERE id = $1`, [
    objectId,
  ]);
  return row?.after ?? 0;
}
