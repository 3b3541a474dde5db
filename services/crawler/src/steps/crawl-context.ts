import type { Loader } from "@web-tester/loader/page-result";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import type { LoadMetrics } from "@web-tester/worker/load-metrics";
import type { ServiceContext } from "@web-tester/worker/service-context";
import type { RenderDeps } from "./render-page.js";
import type { CrawlSessions } from "./sign-in.js";
import type { RobotsStore } from "./robots-store.js";

/** What one visit needs; a visit writes nothing. */
export interface VisitDeps extends RenderDeps, Pick<ServiceContext, "secrets" | "crawlDelay" | "tracer"> {
  loader: Loader;
  robots: RobotsStore;
  sessions: CrawlSessions;
  loads: LoadMetrics;
  signal: AbortSignal;
  /** Whether this crawler still holds a page: its crawl was not stopped, and the page not given to another crawler. */
  isHeld(page: Pick<ClaimedPage, "id" | "fence">): Promise<boolean>;
}

/** What the crawler's handlers and their steps need. */
export interface CrawlPagesDeps extends VisitDeps, Pick<ServiceContext, "db" | "slots"> {
  bus: ServiceContext["bus"];
  /** The number of messages of one host that may be in flight, which decides how many addresses a message carries. */
  hostConcurrency: number;
  /** Called when a crawl has ended in this process, to start its follow-up at once; otherwise a periodic check finds it. */
  onRunEnded(): void;
}
