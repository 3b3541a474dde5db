import { Client, type ClientBase, type PoolClient } from "pg";

/** After so long without an answer on a connection the server is asked about it; the server must have waited for us as long. */
const silentMs = 15_000;
const probeMs = 10_000;

/**
 * Notices answers that will never come. When the server's machine is gone, or something between it and us has dropped a connection, no side
 * ends the connection: a statement would wait for a quarter of an hour, or forever. The time alone says nothing, as statements may be
 * long, so the server is asked over a new connection: if it has no such session, or the session is idle and waits for us, our connection is
 * closed.
 */
export interface LostAnswers {
  /** Records the session of a new connection, running `sql` as its first statements. */
  greet(client: ClientBase, sql: string): Promise<void>;
  /** Runs a query on a connection; rejects with the driver's error for a closed connection when the answer was lost. */
  ask<Result>(client: PoolClient, question: () => Promise<Result>): Promise<Result>;
  /** Whether a connection is at least as old as one that was lost: it may be lost too, and is not worth checking. */
  isSuspect(client: PoolClient): boolean;
  close(): void;
}

interface Question {
  client: PoolClient;
  askedAt: number;
  /** Bytes received on the connection at the last look: while the number grows, a long answer is still arriving. */
  heard: number;
}

/**
 * @param url address of the same database
 * @param onLost called once for all connections that are found lost together
 * @param patienceMs shorter only in tests
 */
export function createLostAnswers(url: string, onLost: (error: Error) => void, patienceMs = silentMs): LostAnswers {
  const sessions = new WeakMap<ClientBase, { pid: number; openedAt: number }>();
  const open = new Set<Question>();
  let suspectUntil = Number.NEGATIVE_INFINITY;
  let isLooking = false;

  const late = () =>
    [...open].filter((one) => {
      const before = one.heard;
      one.heard = bytesOf(one.client);
      return one.heard === before && performance.now() - one.askedAt > patienceMs;
    });

  async function look(): Promise<void> {
    if (isLooking) return;
    const waiting = late();
    const pids = waiting.flatMap(({ client }) => sessions.get(client)?.pid ?? []);
    if (pids.length === 0) return;
    isLooking = true;
    try {
      const gone = await lostSessions(url, pids, patienceMs);
      // a connection that was answered meanwhile is not lost
      const lost = waiting.filter(
        (one) => open.has(one) && one.heard === bytesOf(one.client) && gone.has(sessions.get(one.client)?.pid ?? 0),
      );
      if (lost.length === 0) return;
      suspectUntil = performance.now();
      onLost(
        new Error(`The server waits for us on ${gone.size} of our connections, where we wait for it: they are ended`),
      );
      for (const { client } of lost) endNow(client);
    } catch {
      // the server cannot be reached at all: the next look asks again
    } finally {
      isLooking = false;
    }
  }

  const timer = setInterval(() => void look(), patienceMs);
  timer.unref();

  return {
    async greet(client, sql) {
      const openedAt = performance.now();
      const text = `${sql}; SELECT pg_backend_pid() AS pid`;
      // several statements give an array of results, which the driver's types do not declare
      const question = { text, query_timeout: probeMs };
      const results: unknown = await client.query(question);
      const last: unknown = Array.isArray(results) ? results.at(-1) : results;
      const pid = (last as { rows: { pid: number }[] }).rows[0]?.pid;
      if (pid !== undefined) sessions.set(client, { pid, openedAt });
    },
    async ask(client, question) {
      const one = { client, askedAt: performance.now(), heard: bytesOf(client) };
      open.add(one);
      try {
        return await question();
      } finally {
        open.delete(one);
      }
    },
    isSuspect: (client) => (sessions.get(client)?.openedAt ?? Number.POSITIVE_INFINITY) < suspectUntil,
    close: () => clearInterval(timer),
  };
}

/** Bytes received so far; the socket counts them, which the driver's types do not declare. */
const bytesOf = ({ connection: { stream } }: Client): number =>
  "bytesRead" in stream && typeof stream.bytesRead === "number" ? stream.bytesRead : 0;

/** Closes a connection even if its other side is gone: the driver's `end` alone sends a goodbye and waits for the server's answer. */
export function endNow(client: Client): void {
  void client.end().catch(() => undefined);
  client.connection.stream.destroy();
}

/** Returns the sessions that the server does not have, or that have been idle for `idleMs`. A session without a state in the statistics counts as busy. */
async function lostSessions(url: string, pids: readonly number[], idleMs: number): Promise<Set<number>> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: probeMs,
    query_timeout: probeMs,
    application_name: "web-tester",
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid FROM unnest($1::int[]) AS ours (pid) WHERE NOT EXISTS (
         SELECT FROM pg_stat_activity AS its WHERE its.pid = ours.pid AND (
           its.state IS NULL OR its.state NOT LIKE 'idle%' OR its.state_change > clock_timestamp() - $2 * interval '1 millisecond'))`,
      [pids, idleMs],
    );
    return new Set(rows.map(({ pid }) => pid));
  } finally {
    endNow(client);
  }
}
