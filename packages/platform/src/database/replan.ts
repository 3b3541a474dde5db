import type { PoolClient } from "pg";

const firstMs = 1_000;
const lastMs = 60_000;

/**
 * Makes connections plan their prepared statements again. A plan that is right for a small table is ruinous for a large one, and PostgreSQL
 * plans again only after autovacuum has analysed the table, about a minute later: enough for a crawl to write a hundred thousand rows. The
 * interval doubles each time, from one second to a minute, so a long-lived connection loses next to nothing.
 * @returns a function to call before a prepared statement
 */
export function createReplanner(now: () => number = () => performance.now()): (client: PoolClient) => Promise<void> {
  const planned = new WeakMap<PoolClient, { afterMs: number; at: number }>();

  return async (client) => {
    const last = planned.get(client);
    if (last === undefined) planned.set(client, { afterMs: firstMs, at: now() });
    else if (now() - last.at >= last.afterMs) {
      planned.set(client, { afterMs: Math.min(lastMs, last.afterMs * 2), at: now() });
      await client.query("DISCARD PLANS");
    }
  };
}
