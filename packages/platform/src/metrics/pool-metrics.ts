import type { Database } from "../database/database.js";
import type { Metrics } from "./metrics.js";

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
