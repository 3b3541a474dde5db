import type { Database, Queryable } from "@web-tester/platform/database/database";
import { endIdleCrawls, endIdleSitemaps } from "../runs/end-run.js";
import { crawlProgress, sitemapsProgress } from "../runs/run-progress.js";
import { type LostRow, type Recoverable, waitingAddresses } from "../leases/lost-rows.js";

/** Recovers crawl work that lost its message or its worker. */
export const recoverPages: Recoverable<"crawl"> = {
  name: "crawl",
  requeueExpired: (db) => requeueExpired(db, "page"),
  waiting: (db, olderThanMs) => waiting(db, "page", olderThanMs),
  takeLost: (db, address, olderThanMs, limit, except) =>
    db.query<LostRow>(takeLost("kind = 'page' AND partition = $4"), [olderThanMs, limit, except, address.partition]),
  endIdle: async (db) => (await endIdleCrawls(db)).map((run) => crawlProgress(run, null)),
  body: (pageIds, host) => ({ pageIds, host }),
};

/** Recovers sitemaps that lost their message or their worker. */
export const recoverSitemaps: Recoverable<"sitemap"> = {
  name: "sitemap",
  requeueExpired: (db) => requeueExpired(db, "sitemap"),
  waiting: (db, olderThanMs) => waiting(db, "sitemap", olderThanMs),
  takeLost: (db, address, olderThanMs, limit, except) =>
    db.query<LostRow>(takeLost("kind = 'sitemap' AND partition = $4"), [olderThanMs, limit, except, address.partition]),
  endIdle: async (db) => (await endIdleSitemaps(db)).map(sitemapsProgress),
  body: (pageIds, host) => ({ pageIds, host }),
};

/** Returns the partitions in which rows of a kind have been queued for longer than `olderThanMs`. */
async function waiting(db: Queryable, wanted: "page" | "sitemap", olderThanMs: number) {
  const rows = await db.query<{ kind: string; partition: number }>(
    waitingAddresses("crawl_page", "kind", "partition"),
    [olderThanMs],
  );
  return rows.flatMap(({ kind, partition }) => (kind === wanted ? [{ lane: null, partition }] : []));
}

async function requeueExpired(db: Database, kind: "page" | "sitemap"): Promise<number> {
  const rows = await db.query(
    `UPDATE crawl_page SET state = 'queued', queued_at = now(), lease_until = NULL
     WHERE id IN (SELECT id FROM crawl_page WHERE state = 'running' AND kind = $1 AND lease_until < now() ORDER BY id LIMIT 10000 FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [kind],
  );
  return rows.length;
}

const takeLost = (which: string) => `
  UPDATE crawl_page SET generation = generation + 1, queued_at = now()
  WHERE id IN (
    SELECT id FROM crawl_page WHERE state = 'queued' AND queued_at < now() - $1::int * interval '1 ms' AND ${which} AND id <> ALL($3::uuid[])
    ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED)
  RETURNING id, generation, split_part(url, '/', 3) AS host`;
