import type { Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";
import { makeInstances, type NamedUrl } from "../instances/create-instances.js";
import { ofAnySize } from "../runs/of-any-size.js";
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
    error = 'The redirects form a loop: ' || url || ' leads back to itself. This has to be fixed on the server.'
  WHERE run_id = $1 AND url = ANY($2) AND outcome = 'redirected' RETURNING id`;

/**
 * Makes sure that no page is lost because its canonical address turns out to be no page. Call it in the transaction that ends the run,
 * however it ends, when no page is being visited any more: only then it is known what became of that address. Redirects in a loop become
 * failed visits. Idempotent.
 * @returns the pages that are instances after all, and the number of visits that became failed
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

/* Each instance is looked up by its key: the planner expects none of a new object, and would read all of them for each address. */
const linkInstances = prepared(`
  UPDATE crawl_page p SET test_instance_id = coalesce((
    SELECT i.id FROM test_instance i WHERE i.test_object_id = ${ofAnySize("$2")} AND i.url = p.url), p.test_instance_id)
  WHERE p.run_id = $1 AND p.url = ANY($3)`);

/** Links rows of a run to the instances of their addresses. */
export async function linkToInstances(
  tx: Queryable,
  runId: string,
  objectId: string,
  urls: readonly string[],
): Promise<void> {
  await tx.query(linkInstances, [runId, objectId, urls]);
}

/** Creates or confirms the instances of pages; the run must be locked. */
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

/** What settling a run's pages adds to its counters. */
export interface SettledPages {
  found: number;
  foundNew: number;
  failed: number;
}

/**
 * Decides which pages of a crawl that name a canonical address keep their own. Call it in the transaction that ends a run of any kind, with
 * the run locked and none of its pages queued or running any more. Idempotent.
 * @returns what the caller has to add to the run's counters
 */
export async function settlePages(tx: Queryable, runId: string, objectId: string): Promise<SettledPages> {
  const kept = await keepOwnNames(tx, runId);
  const { found, inserted } = await storeInstances(tx, runId, objectId, kept.instances);
  return { found, foundNew: inserted, failed: kept.failed };
}

const relink = `
  UPDATE crawl_page p SET test_instance_id = m."to" FROM unnest($2::uuid[], $3::uuid[]) AS m ("from", "to")
  WHERE p.test_instance_id = m."from" AND p.run_id IN (
    SELECT l.id FROM run r JOIN run l ON l.test_object_id = r.test_object_id AND l.id >= r.id AND l.kind IN ('crawl', 'sitemaps') WHERE r.id = $1)`;

/** Links rows of a run, and of later ones of its object, to other instances. */
export async function relinkPages(
  tx: Queryable,
  runId: string,
  pairs: readonly { from: string; to: string }[],
): Promise<void> {
  await tx.query(relink, [runId, pairs.map(({ from }) => from), pairs.map(({ to }) => to)]);
}
