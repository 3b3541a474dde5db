import { LRUCache } from "lru-cache";
import type { Database } from "@web-tester/platform/database/database";
import { prepared } from "@web-tester/platform/database/statement";

/** The result of `enter`: the request may be sent (call `leave` when it is over), or it has to wait. */
export type Entry = { kind: "go"; leave(): Promise<void> } | { kind: "later"; waitMs: number };

/** Throttles requests to one host for all replicas together: each such host has a row in the database, and the database's clock counts. */
export interface CrawlDelay {
  /**
   * Waits up to two seconds for the turn of one request. If `delayMs` is above 0, requests go out one at a time, the next not before the
   * end of the last one plus the delay; otherwise only pauses from `push` and `spare` are waited for.
   * @returns `later` when the turn is more than two seconds away: hand the work back
   */
  enter(host: string, delayMs: number, signal: AbortSignal): Promise<Entry>;
  /** Blocks all requests to a host for a time, because it asked for a pause (Retry-After). */
  push(host: string, waitMs: number): Promise<void>;
  /** Extends the host's pause because one of its pages took much of our time; the pauses of several pages add up. */
  spare(host: string, waitMs: number): Promise<void>;
}

/** The longest time that a dead worker blocks a host; longer than a load in a browser may take. */
const holdMs = 75_000;
const patienceMs = 2_000;
/** Milliseconds for which a process caches a host's pause. */
const knownForMs = 500;
const pushMaxMs = 120_000;

/**
 * No pause and no hold is longer. What lies further ahead was written before the database's clock was set back, and counts as over:
 * otherwise the host would stand still until the clock is there again.
 */
const aheadMaxMs = 2 * pushMaxMs;
const latest = `clock_timestamp() + ${aheadMaxMs} * interval '1 ms'`;
/** SQL: whether a moment has passed. */
const isOver = (at: string) => `(${at} <= clock_timestamp() OR ${at} > ${latest})`;
/** SQL: from when on the host `g` may be asked. */
const openAt = `CASE WHEN g.next_at > ${latest} THEN clock_timestamp() ELSE g.next_at END`;

const acquire = prepared(`
  INSERT INTO host_gate AS g (host, next_at, held_until) VALUES ($1, clock_timestamp(), clock_timestamp() + $2::int * interval '1 ms')
  ON CONFLICT (host) DO UPDATE SET held_until = excluded.held_until, next_at = ${openAt}
  WHERE ${isOver("g.next_at")} AND (g.held_until IS NULL OR ${isOver("g.held_until")})
  RETURNING extract(epoch FROM g.held_until)::text AS hold`);
const release = prepared(`
  UPDATE host_gate SET held_until = NULL, next_at = greatest(next_at, clock_timestamp() + $2::int * interval '1 ms')
  WHERE host = $1 AND extract(epoch FROM held_until)::text = $3`);
const waiting = prepared(
  `SELECT greatest(0, extract(epoch FROM ${openAt} - clock_timestamp()) * 1000)::float8 AS ms FROM host_gate g WHERE host = $1`,
);
const push = `
  INSERT INTO host_gate AS g (host, next_at) VALUES ($1, clock_timestamp() + $2::int * interval '1 ms')
  ON CONFLICT (host) DO UPDATE SET next_at = greatest(${openAt}, excluded.next_at)`;
const spare = `
  INSERT INTO host_gate AS g (host, next_at) VALUES ($1, clock_timestamp() + $2::int * interval '1 ms')
  ON CONFLICT (host) DO UPDATE SET next_at = greatest(${openAt},
    least(greatest(${openAt}, clock_timestamp()) + $2::int * interval '1 ms', clock_timestamp() + $3::int * interval '1 ms'))`;

/** Does the work of a request that may be sent, and calls `leave` when it has ended, successfully or not. */
export async function during<Result>(
  entry: Extract<Entry, { kind: "go" }>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } finally {
    await entry.leave();
  }
}

const nothing = async () => undefined;

export function createCrawlDelay(db: Database): CrawlDelay {
  return new StoredDelay(db);
}

class StoredDelay implements CrawlDelay {
  readonly #known = new LRUCache<string, { at: number; openAt: number }>({ max: 1_000 });

  constructor(private readonly db: Database) {}

  async enter(host: string, delayMs: number, signal: AbortSignal): Promise<Entry> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const entry = delayMs > 0 ? await this.#take(host, delayMs) : null;
      if (entry !== null) return entry;
      const waitMs =
        delayMs > 0 ? Math.max(await this.#waitOf(host), Math.min(100, delayMs / 2)) : await this.#pushedFor(host);
      if (waitMs === 0 && delayMs === 0) return { kind: "go", leave: nothing };
      if (signal.aborted || performance.now() + waitMs > end) return { kind: "later", waitMs };
      await new Promise((resolve) => setTimeout(resolve, waitMs + 5 + Math.random() * 20));
    }
  }

  async push(host: string, waitMs: number): Promise<void> {
    this.#known.delete(host);
    await this.db.query(push, [host, Math.ceil(Math.min(pushMaxMs, Math.max(0, waitMs)))]);
  }

  async spare(host: string, waitMs: number): Promise<void> {
    this.#known.delete(host);
    await this.db.query(spare, [host, Math.ceil(Math.max(0, waitMs)), pushMaxMs]);
  }

  async #waitOf(host: string): Promise<number> {
    const [row] = await this.db.query<{ ms: number }>(waiting, [host]);
    return row?.ms ?? 0;
  }

  /** How long the host's pause still lasts; cached for half a second. */
  async #pushedFor(host: string): Promise<number> {
    const now = performance.now();
    let seen = this.#known.get(host);
    if (seen === undefined || now - seen.at > knownForMs) {
      seen = { at: now, openAt: seen?.openAt ?? 0 };
      this.#known.set(host, seen); // set before the query, so that a hundred pages share one query
      seen.openAt = now + (await this.#waitOf(host));
    }
    return Math.max(0, seen.openAt - performance.now());
  }

  async #take(host: string, delayMs: number): Promise<Entry | null> {
    const [row] = await this.db.query<{ hold: string }>(acquire, [host, holdMs]);
    if (row === undefined) return null;
    const leave = async () => void (await this.db.query(release, [host, Math.ceil(delayMs), row.hold]));
    return { kind: "go", leave };
  }
}
