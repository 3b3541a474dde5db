import { budgets } from "@web-tester/contracts/limits";
import { eachReferrer, linkKey } from "@web-tester/urls/link-keys";
import type { Database } from "@web-tester/platform/database/database";
import { countSettled, lockCrawlToMatch, markLinksMatched } from "../runs/crawl-counters.js";
import { settlePages } from "./settle-pages.js";

/** Batches of links per transaction: 8 batches of 64 pages hold a few hundred KiB. */
const batchesAtOnce = 8;

const failedPages = `SELECT id, url FROM crawl_page WHERE run_id = $1 AND outcome = 'failed'`;
const known = `SELECT coalesce(sum(pages), 0)::int AS n FROM crawl_carrier WHERE run_id = $1`;
const dropAll = `DELETE FROM crawl_link WHERE id IN (SELECT id FROM crawl_link WHERE run_id = $1 ORDER BY id LIMIT 5000 FOR UPDATE SKIP LOCKED) RETURNING id`;
const takeSome = `
  DELETE FROM crawl_link WHERE id IN (SELECT id FROM crawl_link WHERE run_id = $1 ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING id, page_ids AS "pageIds", links`;
const insertReferrers = `
  INSERT INTO crawl_carrier (run_id, target_id, piece, pages, page_ids)
  SELECT $1, c.target, $2, cardinality(c.pages::uuid[]), c.pages::uuid[] FROM unnest($3::uuid[], $4::text[]) AS c (target, pages)`;

/**
 * Settles the pages of a crawl that was ended without it, by a gateway of an earlier version that runs beside this one. For every other
 * crawl this does nothing.
 */
export function settleLate(db: Database, runId: string): Promise<void> {
  return db.transaction(async (tx) => {
    const objectId = await lockCrawlToMatch(tx, runId);
    if (objectId !== null) await countSettled(tx, runId, await settlePages(tx, runId, objectId));
  });
}

/**
 * Finds the pages with broken links (the referrers) of a crawl that has ended. The recorded links are deleted batch by batch, each in the
 * transaction that writes its referrers, so that any worker can continue after another was killed.
 */
export async function findReferrers(db: Database, runId: string, signal: AbortSignal): Promise<void> {
  const targets = new Map<number, string>();
  for (const { id, url } of await db.query<{ id: string; url: string }>(failedPages, [runId]))
    targets.set(linkKey(url), id);
  let referrers = (await db.query<{ n: number }>(known, [runId]))[0]?.n ?? 0;
  while (!signal.aborted) {
    if (targets.size === 0 || referrers >= budgets.carriersMax) {
      if ((await db.query(dropAll, [runId])).length === 0) break;
      continue;
    }
    const added = await matchSome();
    if (added === null) break;
    referrers += added;
  }
  if (!signal.aborted) await markLinksMatched(db, runId);

  /** @returns the number of pages with a broken link; null when no batch is left */
  async function matchSome(): Promise<number | null> {
    return db.transaction(async (tx) => {
      const batches = await tx.query<{ id: string; pageIds: string[]; links: Buffer }>(takeSome, [
        runId,
        batchesAtOnce,
      ]);
      const [first] = batches.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      if (first === undefined) return null;
      const found = new Map<string, string[]>();
      for (const batch of batches) {
        eachReferrer(batch, targets, (key, pageId) => {
          const target = targets.get(key) ?? "";
          const pages = found.get(target);
          if (pages === undefined) found.set(target, [pageId]);
          else pages.push(pageId);
        });
      }
      const lists = [...found.values()].map((ids) => `{${ids.toSorted().join(",")}}`);
      if (found.size > 0) await tx.query(insertReferrers, [runId, first.id, [...found.keys()], lists]);
      return [...found.values()].reduce((sum, ids) => sum + ids.length, 0);
    });
  }
}
