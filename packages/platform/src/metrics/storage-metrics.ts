import type { Database } from "../database/database.js";
import type { Metrics } from "./metrics.js";
import type { ObjectStore } from "../object-store/object-store.js";

/** Wraps the store to measure each read, write and deletion. */
export function countStorage(metrics: Metrics, store: ObjectStore): ObjectStore {
  const seconds = metrics.histogram("storage_seconds", "Time of one operation on the object store", [
    "operation",
    "outcome",
  ]);
  async function timed<Result>(operation: "read" | "write" | "delete", work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    let outcome = "failed";
    try {
      const result = await work();
      outcome = "done";
      return result;
    } finally {
      seconds.observe({ operation, outcome }, (performance.now() - startedAt) / 1000);
    }
  }
  return {
    ...store,
    read: (...asked) => timed("read", () => store.read(...asked)),
    write: (...asked) => timed("write", () => store.write(...asked)),
    writePacked: (...asked) => timed("write", () => store.writePacked(...asked)),
    delete: (...asked) => timed("delete", () => store.delete(...asked)),
  };
}

/** Shows the database connections of this process. */
export function showPool(metrics: Metrics, db: Pick<Database, "poolStats">): void {
  metrics.gauges("database_connections", "Database connections of this process", ["state"], () => {
    const { total, idle } = db.poolStats();
    return [
      { state: "busy", value: total - idle },
      { state: "idle", value: idle },
    ];
  });
  metrics.gauge("database_waiting", "Callers that wait for a database connection", () => db.poolStats().waiting);
}
