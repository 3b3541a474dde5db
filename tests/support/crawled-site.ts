import type { Loader, PageRequest, PageResult } from "@web-tester/loader/page-result";
import type { Database } from "@web-tester/platform/database/database";
import { claimPages, type ClaimedPage } from "@web-tester/records/pages/claim-pages";
import { finishPages } from "@web-tester/records/pages/finish-pages";
import { noTracer } from "@web-tester/platform/tracing/tracer";
import { createFrontier, type Frontier } from "@web-tester/crawler/pure/frontier";
import { scanPage } from "@web-tester/crawler/pure/scan-page";
import { visitPage } from "@web-tester/crawler/steps/visit-page";
import { cancelCrawl } from "@web-tester/records/runs/cancel-run";

const origin = "http://site.test";

/** The answer at an address: a page with links and perhaps a canonical address, a redirect, a status, a file; or robots.txt denies it. */
export type SitePage =
  | { kind: "page"; links: string[]; canonical: string | null }
  | { kind: "redirect"; to: string }
  | { kind: "status"; status: number }
  | { kind: "file" }
  | { kind: "denied" };

/** Pages by path; the crawl begins at `/`, and missing paths answer 404. */
export type CrawledSite = Readonly<Record<string, SitePage>>;

export interface CrawlOptions {
  /** Returns numbers from 0 to 1 that decide what is visited and recorded next. */
  random: () => number;
  /** Ends the crawl after this many steps; null lets it run to its end. */
  stopAfter?: number | null;
  pagesMax?: number;
  delayMs?: number;
}

export interface CrawlEnd {
  run: { state: string; total: number; completed: number; failed: number; found: number; ended_by: string | null };
  /** Paths of instances. */
  instances: string[];
  /** Paths that answered with a page in a visit that was recorded. */
  good: Set<string>;
}

/**
 * Crawls a site given as a table, with the product's own visits and SQL statements, in an order that `random` decides: addresses are
 * claimed, visited and recorded in any groups, by two crawlers that know nothing of each other.
 */
export async function crawlInOrder(db: Database, site: CrawledSite, options: CrawlOptions): Promise<CrawlEnd> {
  const { random, stopAfter = null, pagesMax = 1_000, delayMs = 0 } = options;
  const [object] = await db.query<{ id: string }>(
    `INSERT INTO test_object (name, url, crawl_pages_max, request_delay_ms) VALUES ('Site', $1, $2, $3) RETURNING id`,
    [`${origin}/`, pagesMax, delayMs],
  );
  const [run] = await db.query<{ id: string }>(
    `INSERT INTO run (test_object_id, kind, total) VALUES ($1, 'crawl', 1) RETURNING id`,
    [object?.id],
  );
  const runId = run?.id ?? "";
  await db.query(`INSERT INTO crawl_page (run_id, url, depth) VALUES ($1, $2, 0)`, [runId, `${origin}/`]);
  const crawlers = [createFrontier(), createFrontier()] as const;
  const good = new Set<string>();
  let inHand: { frontier: Frontier; page: ClaimedPage }[] = [];
  for (let step = 0; stopAfter === null || step < stopAfter; step += 1) {
    const queued = await db.query<{ id: string }>(
      `SELECT id FROM crawl_page WHERE run_id = $1 AND state = 'queued' ORDER BY url`,
      [runId],
    );
    if (queued.length + inHand.length === 0) break;
    const taken = queued.filter(() => random() < 0.5).map(({ id }) => id);
    const frontier = crawlers[random() < 0.5 ? 0 : 1];
    inHand.push(...(await claimPages(db, taken, 600_000)).map((page) => ({ frontier, page })));
    const ready = inHand.filter((held) => held.frontier === frontier && random() < 0.6);
    if (ready.length === 0) continue;
    inHand = inHand.filter((held) => !ready.includes(held));
    await record(
      db,
      site,
      runId,
      frontier,
      ready.map(({ page }) => page),
      good,
    );
  }
  if (stopAfter !== null) await db.transaction((tx) => cancelCrawl(tx, runId));
  const [end] = await db.query<CrawlEnd["run"]>(
    `SELECT state, total, completed, failed, found, ended_by FROM run WHERE id = $1`,
    [runId],
  );
  if (end === undefined) throw new Error("the run is gone");
  const instances = await db.query<{ url: string }>(`SELECT url FROM test_instance WHERE test_object_id = $1`, [
    object?.id,
  ]);
  return { run: end, instances: instances.map(({ url }) => new URL(url).pathname).sort(), good };
}

async function record(
  db: Database,
  site: CrawledSite,
  runId: string,
  frontier: Frontier,
  pages: readonly ClaimedPage[],
  good: Set<string>,
): Promise<void> {
  const visits = [];
  const answered: string[] = [];
  for (const page of pages) {
    const visit = await visitPage(page, depsOf(site, answered), frontier);
    if (visit.kind !== "visited") throw new Error(`a visit ended as ${visit.kind}`);
    visits.push(visit);
  }
  const [any] = pages;
  if (any === undefined) return;
  const found = visits.flatMap((visit) => visit.found);
  const finished = await finishPages(
    db,
    runId,
    visits.map(({ visited }) => visited),
    found,
    visits.flatMap(({ skipped }) => skipped),
    any,
  );
  if (!finished.running) return;
  for (const path of answered) good.add(path);
  if (finished.overBudget === 0)
    frontier.remember(
      runId,
      found.map(({ url }) => url),
    );
  else frontier.fill(runId);
}

function depsOf(site: CrawledSite, answered: string[]): Parameters<typeof visitPage>[1] {
  const rules = {
    isAllowed: (url: URL) => site[url.pathname]?.kind !== "denied",
    crawlDelayMs: null,
    sitemaps: [],
    problem: null,
  };
  const unused = async () => {
    throw new Error("a site that is a table asks nobody");
  };
  return {
    bus: { ask: unused },
    store: { read: unused },
    scanner: { scan: async (_objectId, task) => scanPage(task) },
    isHeld: async () => true,
    loader: tableLoader(site, answered),
    secrets: { derive: () => Buffer.alloc(32), seal: () => Buffer.alloc(0), open: () => "" },
    sessions: {
      of: async () => ({ state: null, version: 0, problem: null }),
      renew: async () => null,
      beside: (_page, load) => load(),
      alone: (_page, load) => load(),
    },
    robots: { rulesOf: async () => rules, bindingOf: async () => rules, known: () => rules },
    crawlDelay: {
      enter: async () => ({ kind: "go", leave: async () => undefined }),
      push: async () => undefined,
      spare: async () => undefined,
    },
    loads: { loaded: () => undefined, ended: () => undefined, budgetHit: () => undefined },
    tracer: noTracer,
    signal: new AbortController().signal,
  };
}

/** A loader that answers from the table as the product's loader does, redirects and their checks included. */
function tableLoader(site: CrawledSite, answered: string[]): Loader {
  async function loadPage({ url, checkRedirect }: PageRequest): Promise<PageResult> {
    const trace = {
      mode: "http" as const,
      redirects: [],
      headers: {},
      timings: { totalMs: 1, firstByteMs: 1 },
      bytesOnWire: 1,
    };
    const failed = (
      finalUrl: string,
      code: "too_many_redirects" | "out_of_scope" | "http_status",
      status: number | null,
    ): PageResult => ({
      ...trace,
      kind: "failed",
      finalUrl,
      status,
      code,
      message: "It failed.",
      retryable: false,
      retryAfterMs: null,
    });
    let at = new URL(url);
    for (let hops = 0; hops <= 10; hops += 1) {
      const page = site[at.pathname] ?? { kind: "status", status: 404 };
      switch (page.kind) {
        case "redirect":
          at = new URL(page.to, at);
          if (checkRedirect?.(at) != null) return failed(at.href, "out_of_scope", 301);
          continue;
        case "page":
          answered.push(at.pathname);
          return {
            ...trace,
            kind: "page",
            status: 200,
            finalUrl: at.href,
            body: Buffer.from(htmlOf(page)),
            contentType: "text/html",
            charset: "utf-8",
            warning: null,
          };
        case "file":
          return { ...trace, kind: "not-html", status: 200, finalUrl: at.href, contentType: "text/plain" };
        case "denied":
          return failed(at.href, "http_status", 403);
        case "status":
          return failed(at.href, "http_status", page.status);
      }
    }
    return failed(at.href, "too_many_redirects", 301);
  }
  return { loadPage };
}

function htmlOf({ links, canonical }: Extract<SitePage, { kind: "page" }>): string {
  const head = canonical === null ? "" : `<link rel="canonical" href="${canonical}">`;
  return `<!doctype html><title>Page</title>${head}<body>${links.map((href) => `<a href="${href}">x</a>`).join("")}`;
}
