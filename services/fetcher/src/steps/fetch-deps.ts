import type { BrowserLoader } from "@web-tester/loader/browser/browser-loader";
import type { Loader } from "@web-tester/loader/page-result";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { LoadMetrics } from "@web-tester/worker/load-metrics";
import type { HostGate } from "@web-tester/records/hosts/crawl-delay";
import type { HostSlots } from "@web-tester/records/hosts/host-semaphore";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { ObjectStore } from "@web-tester/platform/object-store/object-store";
import type { Tracer } from "@web-tester/platform/tracing/tracer";
import type { PageAssets } from "./page-assets.js";
import type { PageReader } from "./page-reader.js";

/** What the fetch handler and its batches work with. */
export interface TakeSnapshotsDeps {
  db: Database;
  bus: Bus;
  store: ObjectStore;
  loader: Loader;
  browser: BrowserLoader;
  assets: PageAssets;
  reader: PageReader;
  secrets: SecretBox;
  gate: HostGate;
  slots: HostSlots;
  loads: LoadMetrics;
  tracer: Tracer;
  /** Aborted when the service is told to stop: rows not begun are handed back. */
  signal: AbortSignal;
}
