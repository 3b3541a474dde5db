import { budgets } from "@web-tester/contracts/limits";
import { eachCarrier, linkKey } from "@web-tester/urls/link-keys";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { settlePages } from "../instances/create-instances.js";

/** Batches of pages per transaction: 8 of 64 pages hold a few hundred KiB. */
const batchesPerPiece = 8;

const unsettled = `SELECT id FROM run WHERE kind = 'crawl' AND NOT links_settled AND state <> 'running' ORDER BY id LIMIT 16`;
const failedPages = `SELECT id, url FROM crawl_page WHERE run_id = $1 AND outcome = 'failed'`;
const known = `SELECT coalesce(sum(pages), 0)::int AS n FROM crawl_carrier WHERE run_id = $1`;
const dropAll = `DELETE FROM crawl_link WHERE id IN (SELECT id FROM crawl_link WHERE run_id = $1 ORDER BY id LIMIT 5000 FOR UPDATE SKIP LOCKED) RETURNING id`;
const takePiece = `
  DELETE FROM crawl_link WHERE id IN (SELECT id FROM crawl_link WHERE run_id = $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING id, page_ids AS "pageIds", links`;
const insertCarriers = `
  INSERT INTO crawl_carrier (run_id, target_id, piece, pages, page_ids)
  SELECT $1, c.target, $2, cardinality(c.pages::uuid[]), c.pages::uuid[] FROM unnest($3::uuid[], $4::text[]) AS c (target, pages)`;
// another worker's piece is still there until it commits
const markSettled = `
  UPDATE run SET links_settled = true WHERE id = $1 AND state <> 'running' AND NOT EXISTS (SELECT 1 FROM crawl_link WHERE run_id = $1)`;

const lockEnded = `
  SELECT test_object_id AS "objectId" FROM run WHERE id = $1 AND state <> 'running' AND NOT links_settled FOR UPDATE`;
const countLate = `UPDATE run SET found = found + $2, found_new = found_new + $3, failed = failed + $4 WHERE id = $1`;

/**
 * Settles the pages of a crawl that was ended by somebody who does not do so: a gateway of an earlier version beside this one.
 * Of every other crawl there is nothing left to settle.
 */
export function settleLate(db: Database, runId: string): Promise<void> {
  return db.transaction(async (tx) => {
    const [run] = await tx.query<{ objectId: string }>(lockEnded, [runId]);
    if (run === undefined) return;
    const { found, foundNew, failed } = await settlePages(tx, runId, run.objectId);
    if (found + failed > 0) await tx.query(countLate, [runId, found, foundNew, failed]);
  });
}

/** Crawls that have ended and whose broken links are still to be matched with the pages that carry them. */
export async function unsettledRuns(db: Queryable): Promise<string[]> {
  return (await db.query<{ id: string }>(unsettled)).map(({ id }) => id);
}

/**
 * Finds the pages that carry the broken links of a crawl that has ended. What the crawl noted goes piece by piece, each in the
 * transaction that writes what it meant, so that any worker can go on after any other was killed.
 */
export async function settleLinks(db: Database, runId: string, signal: AbortSignal): Promise<void> {
  const targets = new Map<number, string>();
  for (const { id, url } of await db.query<{ id: string; url: string }>(failedPages, [runId]))
    targets.set(linkKey(url), id);
  let carriers = (await db.query<{ n: number }>(known, [runId]))[0]?.n ?? 0;
  while (!signal.aborted) {
    if (targets.size === 0 || carriers >= budgets.carriersMax) {
      if ((await db.query(dropAll, [runId])).length === 0) break;
      continue;
    }
    const added = await settlePiece();
    if (added === null) break;
    carriers += added;
  }
  if (!signal.aborted) await db.query(markSettled, [runId]);

  /** @returns pages that carry a broken link; null where nothing is left */
  async function settlePiece(): Promise<number | null> {
    return db.transaction(async (tx) => {
      const batches = await tx.query<{ id: string; pageIds: string[]; links: Buffer }>(takePiece, [
        runId,
        batchesPerPiece,
      ]);
      const [first] = batches.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      if (first === undefined) return null;
      const found = new Map<string, string[]>();
      for (const batch of batches) {
        eachCarrier(batch, targets, (key, pageId) => {
          const target = targets.get(key) ?? "";
          const pages = found.get(target);
          if (pages === undefined) found.set(target, [pageId]);
          else pages.push(pageId);
        });
      }
      const lists = [...found.values()].map((ids) => `{${ids.toSorted().join(",")}}`);
      if (found.size > 0) await tx.query(insertCarriers, [runId, first.id, [...found.keys()], lists]);
      return [...found.values()].reduce((sum, ids) => sum + ids.length, 0);
    });
  }
}
