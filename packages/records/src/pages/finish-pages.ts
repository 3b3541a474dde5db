import type { BudgetName } from "@web-tester/contracts/entities/vocabulary";
import { budgets } from "@web-tester/contracts/limits";
import type { Database, Queryable } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";
import { packLinks } from "@web-tester/urls/link-keys";
import { stateIs } from "../leases/state-is.js";
import { countVisited, lockCrawl, noGrowth } from "../runs/crawl-counters.js";
import type { RunProgress } from "../runs/run-progress.js";
import { closeQueued } from "./close-pages.js";
import { addToFrontier, insertSkips, storeArrivals } from "./frontier.js";
import { settlePages, storeInstances } from "./settle-pages.js";
import type { Arrival, CrawlBudget, FoundPage, SkippedPage, VisitedPage } from "./visited-page.js";

export interface FinishedPages {
  /** False when the run was cancelled or deleted meanwhile; then nothing was written. */
  running: boolean;
  /** Addresses that are new to this run, whose messages have to be published. */
  queued: { id: string; partition: number; host: string }[];
  run: RunProgress | null;
  /** Addresses left out because the run is at its page budget. */
  overBudget: number;
  /** The budget that ended the run with this batch; null when none did. */
  endedBy: BudgetName | null;
}

const finishVisited = prepared(`
  WITH result AS (
    SELECT * FROM jsonb_to_recordset($2::jsonb) AS r (id uuid, fence int, outcome text, http_status int, error_code text, error text, target text, name text)
  )
  UPDATE crawl_page p
  SET state = CASE WHEN r.outcome = 'failed' THEN 'failed' ELSE 'done' END, lease_until = NULL,
      outcome = r.outcome, http_status = r.http_status, error_code = r.error_code, error = r.error, target = r.target,
      detail = CASE WHEN r.name IS NULL THEN NULL ELSE jsonb_build_object('name', r.name) END
  FROM result r WHERE p.id = r.id AND p.fence = r.fence AND ${stateIs("p.state", "running")} AND p.run_id = $1
  RETURNING p.id, p.state`);

/**
 * Records a batch of visits of one run in one transaction: the visited addresses, the new ones, those left out, the instances and the
 * counters. The run's row is locked first, so batches of one run are serialised and cannot deadlock. A run whose time or bytes are spent
 * ends here: addresses that are still queued are closed.
 */
export function finishPages(
  db: Database,
  runId: string,
  visited: readonly VisitedPage[],
  found: readonly FoundPage[],
  skipped: readonly SkippedPage[],
  budget: CrawlBudget,
): Promise<FinishedPages> {
  return db.transaction(async (tx) => {
    const run = await lockCrawl(tx, runId);
    if (run === null) return { running: false, queued: [], run: null, overBudget: 0, endedBy: null };
    const moved = await tx.query<{ id: string; state: string }>(finishVisited, [
      runId,
      JSON.stringify(visited.map(stored)),
    ]);
    const movedIds = new Set(moved.map((row) => row.id));
    const mine = visited.filter((page) => movedIds.has(page.id));
    const bytes = mine.reduce((sum, page) => sum + page.bytes, 0);
    const spent = spentBy(run, bytes, budget);

    const { arrived, arriving, added } = await arrive(tx, runId, mine);
    const room = spent === null ? Math.max(0, budget.pagesMax - run.total - added) : 0;
    const { queued, left } = await addToFrontier(tx, runId, found, room);
    // a page may have a million links: of those left out only some are stored, beyond that only their number counts
    const recorded = await insertSkips(tx, runId, [...skipped, ...left.slice(0, budgets.skipsMax)]);
    // a page may also name addresses beyond those that it gave as found, which other crawlers knew
    const overBudget = Math.max(left.length, recorded.filter(({ reason }) => reason === "pages").length);
    await storeLinks(tx, runId, mine, arrived);
    const closed = spent === null ? 0 : await closeQueued(tx, runId);
    const instances = await storeInstances(tx, runId, run.objectId, instancesOf(mine, arrived, arriving));
    const total = queued.length + added;
    const completed = moved.length + arrived.size + closed;
    const isEnd = run.completed + completed >= run.total + total;
    const settled = isEnd ? await settlePages(tx, runId, run.objectId) : noGrowth;
    // a budget counts as hit only if something was left out because of it
    const isShort = overBudget + closed > 0;
    const endedBy = isShort ? (spent ?? "pages") : null;
    const progress = await countVisited(tx, runId, {
      total,
      completed,
      failed: moved.filter((row) => row.state === "failed").length + settled.failed,
      found: instances.found + settled.found,
      foundNew: instances.inserted + settled.foundNew,
      bytes,
      endedBy,
    });
    return {
      running: true,
      queued: queued.map(({ id, partition, url }) => ({ id, partition, host: new URL(url).host })),
      run: progress,
      overBudget: spent === null ? overBudget : 0,
      endedBy: isShort ? spent : null,
    };
  });
}

/** Returns the budget that a run has used up with the bytes received now; the page budget shows in what is left out. */
function spentBy(run: { ageS: number; bytes: number }, bytes: number, budget: CrawlBudget): "time" | "bytes" | null {
  if (run.ageS > budget.minutesMax * 60) return "time";
  return run.bytes + bytes > budget.mibMax * 1024 * 1024 ? "bytes" : null;
}

/** Stores the addresses where redirects ended, each once. `added`: how many of them were new to the run. */
async function arrive(tx: Queryable, runId: string, pages: readonly VisitedPage[]) {
  const arriving = firstOfEach(pages.flatMap((page) => (page.redirectedTo === null ? [] : [page.redirectedTo])));
  const arrivals = await storeArrivals(tx, runId, [...arriving.values()]);
  return {
    arriving,
    arrived: new Map(arrivals.map(({ id, url }) => [url, id])),
    added: arrivals.filter(({ inserted }) => inserted).length,
  };
}

/** Returns pages that are instances, under their own address or under the address where a redirect arrived first. */
function instancesOf(
  pages: readonly VisitedPage[],
  arrived: ReadonlyMap<string, string>,
  arriving: ReadonlyMap<string, Arrival>,
): NonNullable<VisitedPage["instance"]>[] {
  return pages.flatMap(({ instance, redirectedTo }) => {
    if (instance === null) return [];
    // if several redirects arrive there, the first decides whether the page keeps its own address; if not, it is settled at the end of the crawl
    const isArrival = arrived.has(instance.url) && arriving.get(instance.url)?.canonical === null;
    return redirectedTo === null || isArrival ? [instance] : [];
  });
}

function firstOfEach(arrivals: readonly Arrival[]): ReadonlyMap<string, Arrival> {
  return new Map(arrivals.toReversed().map((arrival) => [arrival.url, arrival]));
}

function stored(page: VisitedPage): unknown {
  return {
    id: page.id,
    fence: page.fence,
    outcome: page.outcome,
    http_status: page.http_status,
    error_code: page.error_code,
    target: page.target,
    name: page.name?.replaceAll("\0", "").toWellFormed() ?? null,
    error: page.error?.replaceAll("\0", "").toWellFormed() ?? null,
  };
}

const insertLinks = prepared(`INSERT INTO crawl_link (run_id, page_ids, links) VALUES ($1, $2, $3)`);

/** Stores which pages contain which links; after a redirect the links belong to the page where it arrived, which has its own row. */
async function storeLinks(
  tx: Queryable,
  runId: string,
  visited: readonly VisitedPage[],
  arrived: ReadonlyMap<string, string>,
): Promise<void> {
  const packed = packLinks(
    visited.flatMap(({ id, redirectedTo, carried }) => {
      const pageId = redirectedTo === null ? id : arrived.get(redirectedTo.url);
      return pageId === undefined ? [] : [{ pageId, keys: carried }];
    }),
  );
  if (packed !== null) await tx.query(insertLinks, [runId, packed.pageIds, packed.links]);
}
