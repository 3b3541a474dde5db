import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";
import { makeInstances, type NamedUrl } from "../instances/create-instances.js";
import { type LeadingPage, settleNames } from "./canonical-names.js";

const leading = `
  SELECT p.url, p.outcome, p.target,
    EXISTS (SELECT 1 FROM crawl_page t WHERE t.run_id = p.run_id AND t.url = p.target AND t.outcome = 'instance') AS arrives
  FROM crawl_page p WHERE p.run_id = $1 AND p.outcome IN ('canonical', 'redirected')`;

const keep = `
  UPDATE crawl_page SET outcome = 'instance', target = NULL
  WHERE run_id = $1 AND url = ANY($2) AND outcome = 'canonical' RETURNING url, detail ->> 'name' AS name`;

const failCircle = `
  UPDATE crawl_page SET state = 'failed', outcome = 'failed', error_code = 'too_many_redirects',
    error = 'The redirects go round in a circle: ' || url || ' leads back to itself. The server has to be corrected.'
  WHERE run_id = $1 AND url = ANY($2) AND outcome = 'redirected' RETURNING id`;

/**
 * Makes sure that no page is lost to the address it says it should be known by. To be called in the transaction that ends the
 * run, however it ends, when none of its pages is visited any more: before, nobody knows what becomes of that address.
 * Redirects that lead back to themselves are failed. Doing it again changes nothing.
 * @returns the pages that are instances after all, and how many visits became failed ones
 */
async function keepOwnNames(
  tx: Queryable,
  runId: string,
): Promise<{ instances: { url: string; name: string }[]; failed: number }> {
  const { own, circles } = settleNames(await tx.query<LeadingPage>(leading, [runId]));
  const instances = own.length === 0 ? [] : await tx.query<{ url: string; name: string }>(keep, [runId, own]);
  const failed = circles.length === 0 ? [] : await tx.query(failCircle, [runId, circles]);
  return { instances, failed: failed.length };
}

const linkInstances = prepared(`
  UPDATE crawl_page p SET test_instance_id = i.id
  FROM test_instance i
  WHERE p.run_id = $1 AND p.url = ANY($3) AND i.test_object_id = $2 AND i.url = p.url`);

/** Lets pages of a run name the instances of their addresses. */
export async function linkToInstances(
  tx: Queryable,
  runId: string,
  objectId: string,
  urls: readonly string[],
): Promise<void> {
  await tx.query(linkInstances, [runId, objectId, urls]);
}

/** Makes or confirms the instances of pages; to be called with the run locked. */
export async function storeInstances(
  tx: Queryable,
  runId: string,
  objectId: string,
  instances: readonly NamedUrl[],
): Promise<{ found: number; inserted: number }> {
  const byUrl = new Map(instances.map((instance) => [instance.url, instance]));
  if (byUrl.size === 0) return { found: 0, inserted: 0 };
  const inserted = await makeInstances(tx, objectId, [...byUrl.values()]);
  await linkToInstances(tx, runId, objectId, [...byUrl.keys()]);
  return { found: byUrl.size, inserted };
}

/** How much the settling of a run's pages adds to its counters. */
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

/** Lets pages of a run name another instance. */
export async function relinkPages(tx: Queryable, runId: string, from: string, to: string): Promise<void> {
  await tx.query(`UPDATE crawl_page SET test_instance_id = $3 WHERE run_id = $1 AND test_instance_id = $2`, [
    runId,
    from,
    to,
  ]);
}
