import type { Loader } from "@web-tester/loader/page-result";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { ClaimedPage } from "@web-tester/records/pages/claim-pages";
import type { LoadMetrics } from "@web-tester/worker/load-metrics";
import type { HostGate } from "@web-tester/records/hosts/crawl-delay";
import type { HostSlots } from "@web-tester/records/hosts/host-semaphore";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { RenderDeps } from "./render-page.js";
import type { Tracer } from "@web-tester/platform/tracing/tracer";
import type { RobotsStore } from "./robots-store.js";

/** What one visit works with; it writes nothing. */
export interface VisitDeps extends RenderDeps {
  loader: Loader;
  secrets: SecretBox;
  robots: RobotsStore;
  gate: HostGate;
  loads: LoadMetrics;
  tracer: Tracer;
  signal: AbortSignal;
  /** Whether this crawler still holds a page: it was not stopped or given to another. */
  isHeld(page: Pick<ClaimedPage, "id" | "fence">): Promise<boolean>;
}

/** What the crawler's handlers and their steps work with. */
export interface CrawlPagesDeps extends VisitDeps {
  db: Database;
  bus: Bus;
  slots: HostSlots;
  /** Messages of one host that may be in flight, which decides how many addresses a message carries. */
  hostConcurrency: number;
  /** Called when a crawl has ended in this process, to start what follows at once; else a later look finds it. */
  onRunEnded(): void;
}
