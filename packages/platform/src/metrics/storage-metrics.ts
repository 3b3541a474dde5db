import type { Metrics } from "./metrics.js";
import type { ObjectStore } from "../object-store/object-store.js";

/** Wraps the store to measure each reading and writing. */
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
