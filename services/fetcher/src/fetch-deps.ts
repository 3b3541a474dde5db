import type { BrowserLoader } from "@web-tester/loader/browser/browser-loader";
import type { Loader } from "@web-tester/loader/page-result";
import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/db/database";
import type { HostGate } from "@web-tester/platform/politeness/host-gate";
import type { HostSlots } from "@web-tester/platform/politeness/host-slots";
import type { SecretBox } from "@web-tester/platform/secrets/secret-box";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";

/** What the fetch handler and its batches work with. */
export interface TakeSnapshotsDeps {
  db: Database;
  bus: Bus;
  store: ObjectStore;
  loader: Loader;
  browser: BrowserLoader;
  secrets: SecretBox;
  gate: HostGate;
  slots: HostSlots;
  /** Aborted when the service is told to stop: rows not begun are handed back. */
  signal: AbortSignal;
}
