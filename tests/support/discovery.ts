import type { ReportGroup } from "@web-tester/contracts/entities/run";
import type { BodyInput, QueryInput } from "@web-tester/contracts/api";
import { register, runEnded } from "./job.js";
import { type Product, startProduct } from "./product.js";
import { type Page, type Site, startSite } from "./site.js";
import { until } from "./until.js";

/** A product and the sites that a test file starts for it. */
export interface Discovery {
  product: Product;
  open(pages?: Record<string, Page>): Promise<Site>;
  /**
   * Starts a site with these pages and registers it.
   * @param at the object's path
   */
  object(pages: Record<string, Page>, options?: Options, at?: string): Promise<{ id: string; site: Site }>;
  set(id: string, options: Options): Promise<void>;
  crawl(id: string): Promise<CrawlEnd>;
  readSitemaps(id: string): Promise<CrawlEnd>;
  /** Paths with queries of an object's instances; full addresses for those of another origin than the object's. */
  instances(id: string): Promise<string[]>;
  /** Paths in one list of a report. */
  paths(runId: string, group: ReportGroup): Promise<string[]>;
  report(runId: string, query?: QueryInput<"getRunReport">): ReturnType<typeof reportOf>;
  close(): Promise<void>;
}

type Options = BodyInput<"updateTestObject">;
type CrawlEnd = { runId: string; run: Awaited<ReturnType<typeof runEnded>> };

/**
 * Starts a product for tests of crawls.
 * @param start starts the product; `shareProduct` for a suite that kills none of its parts
 */
export async function startDiscovery(env: Record<string, string> = {}, start = startProduct): Promise<Discovery> {
  const product = await start(env);
  const sites: Site[] = [];
  const set = async (id: string, options: Options) =>
    void (await product.rest.call("updateTestObject", { params: { id }, body: options }));

  async function open(pages: Record<string, Page> = {}): Promise<Site> {
    const site = await startSite(pages);
    sites.push(site);
    return site;
  }
  const ended = async (runId: string) => ({ runId, run: await runEnded(product, runId) });
  return {
    product,
    open,
    set,
    async object(pages, options, at = "/") {
      const site = await open(pages);
      const id = await register(product, new URL(at, site.url).href);
      if (options !== undefined) await set(id, options);
      return { id, site };
    },
    async crawl(id) {
      return ended((await product.rest.call("crawl", { params: { id } })).runId);
    },
    async readSitemaps(id) {
      return ended((await product.rest.call("runSitemaps", { params: { id } })).runId);
    },
    async instances(id) {
      const { items } = await product.rest.call("listTestInstances", { params: { id }, query: { limit: 1000 } });
      return items.map((item) => pathOf(item.url)).sort();
    },
    async paths(runId, group) {
      const { items } = await reportOf(product, runId, { group, limit: 1000 });
      return items.map((item) => pathOf(item.url)).sort();
    },
    report: (runId, query) => reportOf(product, runId, query),
    async close() {
      await product.stop();
      await Promise.all(sites.map((site) => site.close()));
    },
  };
}

function reportOf(product: Product, runId: string, query: QueryInput<"getRunReport"> = {}) {
  return product.rest.call("getRunReport", { params: { id: runId }, query });
}

/** Waits until a crawl's broken links are matched with the pages that carry them. */
export async function carriersKnown(product: Product, runId: string): Promise<void> {
  await until("who carries broken links", async () => (await reportOf(product, runId)).carriers_known || undefined);
}

export const pathOf = (url: string): string => new URL(url).pathname + new URL(url).search;

export const htmlPage = (title: string, ...links: string[]): string =>
  `<!doctype html><title>${title}</title>${links.map((href) => `<a href="${href}">${href}</a>`).join(" ")}`;

export const answer =
  (status: number, headers: Record<string, string> = {}, body: string | Buffer = ""): Page =>
  (_request, response) => {
    response.writeHead(status, { "content-type": "text/html", ...headers }).end(body);
  };
export const redirectTo = (location: string, status = 301): Page => answer(status, { location });
export const plainText = (body: string, status = 200): Page => answer(status, { "content-type": "text/plain" }, body);
/** Answers every path except robots.txt with one page. */
export function answerAll(site: Site, page: Page): void {
  site.pages.get = (path) => (path === "/robots.txt" ? undefined : page);
}
