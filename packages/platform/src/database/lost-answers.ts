import { Client, type ClientBase, type PoolClient } from "pg";

/** So long a connection may leave a question without an answer before the server is asked about it, and so long the server waits for us meanwhile. */
const silentMs = 15_000;
const probeMs = 10_000;

/**
 * Notices answers that will never come. Where the server's machine is gone, or something between it and us has forgotten a connection, nobody
 * ends that: a statement would wait on it for a quarter of an hour, or for ever. How long it may take says nothing, so the server is asked, over
 * a new connection: where it has no such session, or one that has been waiting for us, the connection is ended.
 */
export interface LostAnswers {
  /** Notes the session behind a new connection, with whatever else it is told first. */
  greet(client: ClientBase, sql: string): Promise<void>;
  /** Asks something on a connection; fails with what the driver says of one that ended, where the answer was lost. */
  ask<Result>(client: PoolClient, question: () => Promise<Result>): Promise<Result>;
  /** Whether a connection is as old as one that was lost: it may be lost too, and is not worth finding out. */
  isSuspect(client: PoolClient): boolean;
  close(): void;
}

interface Question {
  client: PoolClient;
  askedAt: number;
  /** Bytes that had come on the connection when it was looked at last: a long answer may be on its way for long. */
  heard: number;
}

/**
 * @param url of the same database
 * @param onLost told once for all connections that are found lost together
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
      // what was answered meanwhile is not lost
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
      // it cannot be reached at all: asked again at the next look
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
      // several statements give several results, which the driver's types do not know
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

/** Bytes that have come so far; a socket counts them, which the driver's types do not know. */
const bytesOf = ({ connection: { stream } }: Client): number =>
  "bytesRead" in stream && typeof stream.bytesRead === "number" ? stream.bytesRead : 0;

/** Ends a connection whether or not its other side is there: the driver alone says good-bye to one that asks nothing, and waits for an answer. */
export function endNow(client: Client): void {
  void client.end().catch(() => undefined);
  client.connection.stream.destroy();
}

/** Which of these sessions the server does not have, or has waited for us in for so long. One that it says nothing of counts as busy. */
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
