import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";
import { keepOwnNames } from "../pages/keep-canonical.js";

const upsertInstances = prepared(`
  INSERT INTO test_instance (test_object_id, url, name)
  SELECT $1, f.url, f.name FROM unnest($2::text[], $3::text[]) AS f (url, name) ORDER BY f.url
  ON CONFLICT (test_object_id, url) DO UPDATE SET name = EXCLUDED.name WHERE test_instance.name <> EXCLUDED.name
  RETURNING (xmax = 0) AS inserted`);

const linkInstances = prepared(`
  UPDATE crawl_page p SET test_instance_id = i.id
  FROM test_instance i
  WHERE p.run_id = $1 AND p.url = ANY($3) AND i.test_object_id = $2 AND i.url = p.url`);

/** Makes or confirms the instances of pages; to be called with the run locked. */
export async function storeInstances(
  tx: Queryable,
  runId: string,
  objectId: string,
  instances: readonly { url: string; name: string }[],
): Promise<{ found: number; inserted: number }> {
  const byUrl = new Map(instances.map((instance) => [instance.url, instance.name.replaceAll("\0", "").toWellFormed()]));
  if (byUrl.size === 0) return { found: 0, inserted: 0 };
  const rows = await tx.query<{ inserted: boolean }>(upsertInstances, [
    objectId,
    [...byUrl.keys()],
    [...byUrl.values()],
  ]);
  await tx.query(linkInstances, [runId, objectId, [...byUrl.keys()]]);
  return { found: byUrl.size, inserted: rows.filter((row) => row.inserted).length };
}

/** By how much the settling of a run's pages moves its counters. */
export interface SettledPages {
  found: number;
  foundNew: number;
  failed: number;
}

/**
 * Settles which pages of a crawl that name a canonical address go by their own. To be called in the transaction that ends a run,
 * of whatever kind, with the run locked and none of its pages queued or in work any more; again changes nothing.
 * @returns what the caller adds to the run's counters
 */
export async function settlePages(tx: Queryable, runId: string, objectId: string): Promise<SettledPages> {
  const kept = await keepOwnNames(tx, runId);
  const { found, inserted } = await storeInstances(tx, runId, objectId, kept.instances);
  return { found, foundNew: inserted, failed: kept.failed };
}
