import type { Bus } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import type { Metrics } from "@web-tester/platform/metrics/metrics";
import { selectSizes } from "./select-sizes.sql.js";

/** Sizes are cached for this long: PostgreSQL asks the file system for the size of every file, and anybody may ask for the metrics. */
const readEveryMs = 30_000;

/** Registers the metrics of stored bytes. Every replica shows the same: take one, not the sum. */
export function showStoredSizes(metrics: Metrics, db: Database, bus: Bus): void {
  let last = { at: -Infinity, sizes: { database: 0, objects: 0, log: 0 } };
  metrics.gauges("stored_bytes", "Bytes kept in the database, the object store and the job log", ["kept"], async () => {
    if (performance.now() - last.at > readEveryMs) {
      const [sizes, log] = await Promise.all([selectSizes(db), bus.logStats()]);
      last = {
        at: performance.now(),
        sizes: { database: sizes.db_bytes, objects: sizes.stored_bytes, log: log.bytes },
      };
    }
    return Object.entries(last.sizes).map(([kept, value]) => ({ kept, value }));
  });
}
