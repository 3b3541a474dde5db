import type { PoolClient } from "pg";

const firstMs = 1_000;
const lastMs = 60_000;

/**
 * Has connections make their plans anew, as a plan that was right for a small table is ruinous for a large one, and PostgreSQL
 * makes it anew only after the table was analysed: within a minute or so, in which a crawl of an empty product writes a
 * hundred thousand rows. The time between doubles, so that it costs a connection that is long open next to nothing.
 * @returns to be called before a prepared statement
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
