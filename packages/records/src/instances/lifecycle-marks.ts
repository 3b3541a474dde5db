import type { Queryable } from "@web-tester/platform/database/database";
import { ofAnySize } from "../runs/of-any-size.js";

/** An instance whose lifecycle mark changed. */
export interface MarkedPage {
  id: string;
  url: string;
  /** The mark before: `gone`, `unlinked` or `moved`; null for none. */
  was: string | null;
}

/** SQL: notes that a kind of run found its pages, and removes marks that this heals. A page in a sitemap may still be gone. */
const found = (own: string, healed: string) => `
  UPDATE test_instance i SET ${own} = true,
    lifecycle = CASE WHEN ${healed} THEN NULL ELSE i.lifecycle END,
    lifecycle_at = CASE WHEN ${healed} THEN NULL ELSE i.lifecycle_at END,
    lifecycle_to = CASE WHEN ${healed} THEN NULL ELSE i.lifecycle_to END
  FROM crawl_page p
  WHERE p.run_id = $1 AND p.test_instance_id = i.id AND p.outcome = 'instance' AND (NOT i.${own} OR ${healed})
  RETURNING i.id, i.url, old.lifecycle AS was`;

/** Marks the pages that a crawl or a sitemap crawl found. @returns the instances that changed */
export function markFound(tx: Queryable, runId: string, own: "by_crawl" | "by_sitemaps"): Promise<MarkedPage[]> {
  const healed = own === "by_crawl" ? "i.lifecycle IS NOT NULL" : "i.lifecycle IS NOT DISTINCT FROM 'unlinked'";
  return tx.query<MarkedPage>(found(own, healed), [runId]);
}

/** Pages that this kind of run does not find any more, but the other kind does, do not count as missed. */
export async function unmarkFoundElsewhere(
  tx: Queryable,
  runId: string,
  objectId: string,
  { own, other }: { own: "by_crawl" | "by_sitemaps"; other: "by_crawl" | "by_sitemaps" },
): Promise<void> {
  await tx.query(
    `UPDATE test_instance i SET ${own} = false WHERE i.test_object_id = $2 AND i.${own} AND i.${other}
       AND i.id NOT IN (SELECT p.test_instance_id FROM crawl_page p WHERE p.run_id = $1 AND p.test_instance_id IS NOT NULL AND p.outcome = 'instance')
       AND EXISTS (SELECT 1 FROM run r WHERE r.id = $1 AND r.ended_by IS NULL AND r.found > 0)`,
    [runId, objectId],
  );
}

const lost = `
  UPDATE test_instance i SET lifecycle = m.kind, lifecycle_at = now(), lifecycle_to = m."to", by_crawl = false, by_sitemaps = false
  FROM jsonb_to_recordset($1::jsonb) AS m (id uuid, kind text, "to" text) WHERE i.id = m.id`;

/** Marks pages that no run finds any more. */
export async function markLost(
  tx: Queryable,
  pages: readonly { id: string; kind: "gone" | "unlinked" | "moved"; to: string | null }[],
): Promise<void> {
  if (pages.length > 0) await tx.query(lost, [JSON.stringify(pages)]);
}

const goneByFetch = `
  UPDATE test_instance i SET lifecycle = 'gone', lifecycle_at = now(), lifecycle_to = NULL
  FROM test_snapshot s WHERE s.run_id = $1 AND s.test_instance_id = i.id AND s.state = 'failed' AND s.http_status IN (404, 410)
    AND i.lifecycle IS DISTINCT FROM 'gone' AND i.id <> ALL ($2::uuid[])
  RETURNING i.id, i.url, old.lifecycle AS was, s.http_status AS status,
    EXISTS (SELECT 1 FROM test_snapshot p WHERE p.test_instance_id = i.id AND p.state = 'done' AND p.id < s.id) AS known`;

/**
 * Marks pages that a fetch found gone.
 * @param except pages that answered when they were looked at again
 * @returns the newly marked ones; `known`: the page had been fetched successfully before
 */
export function markGone(
  tx: Queryable,
  runId: string,
  except: readonly string[],
): Promise<(MarkedPage & { status: number; known: boolean })[]> {
  return tx.query(goneByFetch, [runId, except]);
}

const backByFetch = `
  UPDATE test_instance i SET lifecycle = NULL, lifecycle_at = NULL, lifecycle_to = NULL
  FROM test_snapshot s WHERE s.run_id = ${ofAnySize("$1")} AND s.test_instance_id = i.id AND s.state = 'done' AND i.lifecycle = 'gone'
    AND i.test_object_id = (SELECT test_object_id FROM run WHERE run.id = $1)
  RETURNING i.id, i.url, old.lifecycle AS was, old.lifecycle_at AS since`;

/** Removes the mark of pages that were gone and that a fetch got again. */
export function markBack(tx: Queryable, runId: string): Promise<(MarkedPage & { since: Date })[]> {
  return tx.query(backByFetch, [runId]);
}

const rename = `
  UPDATE test_instance i SET url = t.url, name = t.name, last_number = i.last_number + t.numbers, by_crawl = t."byCrawl",
    by_sitemaps = t."bySitemaps", lifecycle = CASE WHEN t."movedTo" IS NULL THEN NULL ELSE 'moved' END,
    lifecycle_at = CASE WHEN t."movedTo" IS NULL THEN NULL ELSE now() END, lifecycle_to = t."movedTo"
  FROM jsonb_to_recordset($1::jsonb) AS t (id uuid, url text, name text, numbers int, "byCrawl" boolean, "bySitemaps" boolean, "movedTo" text)
  WHERE i.id = t.id`;

/** Another address for an instance. */
export interface Rename {
  id: string;
  url: string;
  name: string;
  /** How many snapshot numbers are added to its own. */
  numbers: number;
  byCrawl: boolean;
  bySitemaps: boolean;
  movedTo: string | null;
}

/** Gives instances other addresses, which no other instance has. */
export async function renameInstances(tx: Queryable, renames: readonly Rename[]): Promise<void> {
  await tx.query(rename, [JSON.stringify(renames)]);
}

/** Removes instances whose snapshots were moved to others. */
export async function removeEmptyInstances(tx: Queryable, ids: readonly string[]): Promise<void> {
  await tx.query(`DELETE FROM test_instance WHERE id = ANY($1)`, [ids]);
}

/** Sets the number of the newest snapshot, after snapshots came from another instance. */
export async function setLastNumber(tx: Queryable, id: string, number: number): Promise<void> {
  await tx.query(`UPDATE test_instance SET last_number = greatest(last_number, $2::int) WHERE id = $1`, [id, number]);
}
