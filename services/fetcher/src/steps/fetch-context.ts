import type { BrowserLoader } from "@web-tester/loader/browser/browser-loader";
import type { Loader } from "@web-tester/loader/page-result";
import type { LoadMetrics } from "@web-tester/worker/load-metrics";
import type { ServiceContext } from "@web-tester/worker/service-context";
import type { PageAssets } from "./page-assets.js";
import type { SiteSessions } from "./site-sessions.js";
import type { ScriptEffects } from "./script-effects.js";
import type { PageReader } from "./page-reader.js";

/** What the fetch handler and its batches need. */
export interface TakeSnapshotsDeps extends Pick<
  ServiceContext,
  "db" | "bus" | "store" | "secrets" | "crawlDelay" | "slots" | "tracer"
> {
  loader: Loader;
  browser: BrowserLoader;
  assets: PageAssets;
  reader: PageReader;
  effects: ScriptEffects;
  sessions: SiteSessions;
  loads: LoadMetrics;
  /** Aborted when the service is told to stop: rows not begun are handed back. */
  signal: AbortSignal;
}
