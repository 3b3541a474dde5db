import { AppError } from "@web-tester/contracts/errors";
import { Client } from "pg";
import type { Delivery } from "@web-tester/platform/bus/bus";
import { hashOf } from "@web-tester/platform/bus/partition";
import { endNow } from "@web-tester/platform/database/lost-answers";
import { prepared, toQuery } from "@web-tester/platform/database/statement";

/** What a request to a host is for. If there are enough places, each kind has one reserved, so that none starves. */
export type SlotKind = "now" | "bulk" | "crawl" | "asset";

/**
 * Limits the requests to one host to `size` at a time, over all services and replicas. Places are session advisory locks of PostgreSQL, so
 * those of a process that dies are free at once, and those of a process that is frozen, or whose machine is gone, after 15 s. Needs a
 * direct connection or session pooling.
 */
export interface HostSemaphore {
  /**
   * Waits for a place at a host (`URL.host`), trying ten times a second. `waiting` is called with each pause between two attempts, and may
   * make it longer.
   * @throws AppError unavailable; what `waiting` throws
   */
  take(host: string, kind: SlotKind, waiting: (pause: Promise<void>) => void | Promise<void>): Promise<() => void>;
  /**
   * Takes a place without waiting; null when none is free.
   * @throws AppError unavailable
   */
  tryTake(host: string, kind: SlotKind): Promise<(() => void) | null>;
  close(): Promise<void>;
}

/**
 * Takes a place at a host for the pages of a message. While none is free, the message gives up its slot in this process; otherwise the
 * messages of one slow host would occupy all slots.
 */
export function takeForMessage(
  slots: HostSemaphore,
  host: string,
  kind: SlotKind,
  delivery: Pick<Delivery, "working" | "leave" | "enter">,
): Promise<() => void> {
  return slots.take(host, kind, async (pause) => {
    delivery.working();
    delivery.leave();
    await pause;
    await delivery.enter();
  });
}

/** Keys of the advisory locks: one of 2^20 per host. Two hosts that share a key share their places. */
const firstKey = 0x5100_0000;
const keys = 2 ** 20;
const lock = prepared(`SELECT pg_try_advisory_lock($1, $2) AS got`);
const unlock = prepared(`SELECT pg_advisory_unlock($1, $2)`);
const lookEveryMs = 100;
/** The server ends a session that is silent for so long, and frees its locks: it would not notice a process that was frozen or cut off. */
const silenceMs = 15_000;

/** Returns the places that a kind may use, its reserved one first. With four places or more, assets have none reserved. */
export function slotsFor(kind: SlotKind, size: number): number[] {
  const all = Array.from({ length: size }, (_, slot) => slot);
  if (size === 1) return all;
  if (size < 4) return [kind === "crawl" ? 1 : 0, ...all.slice(2)];
  if (kind === "asset") return all.slice(3);
  const own = { now: 0, bulk: 1, crawl: 2 }[kind];
  return [own, ...all.slice(3)];
}

/** Whether two hosts share their places: a holder of a place at one must not wait for a place at the other, which would be a deadlock. */
export function sharePlaces(host: string, other: string): boolean {
  return keyOf(host) === keyOf(other);
}

function keyOf(host: string): number {
  return firstKey + (hashOf(host) % keys);
}

/** Whether the driver gave up waiting for an answer; it then leaves the connection open. */
const isUnanswered = (error: unknown): boolean => error instanceof Error && error.message === "Query read timeout";

function unavailable(cause: unknown): AppError {
  const message = "The database does not answer. Check that PostgreSQL runs and DATABASE_URL is right.";
  return new AppError("unavailable", message, { cause });
}

/**
 * Creates a semaphore that uses its own session.
 * @param size places at one host
 * @param watch wraps each query, so that the database's silence is counted
 * @param silentMs silence after which the server ends the session and frees its places
 */
export function createHostSemaphore(
  url: string,
  size: number,
  watch: <Result>(ask: () => Promise<Result>) => Promise<Result> = (ask) => ask(),
  silentMs: number = silenceMs,
): HostSemaphore {
  let session: Promise<Client> | null = null;
  /** Places that this session holds: PostgreSQL would grant a session the same lock twice. */
  let held = new Set<string>();
  let turn: Promise<unknown> = Promise.resolve();

  function connect(): Promise<Client> {
    if (session !== null) return session;
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: 10_000,
      // each query is answered at once; and after as long a silence the server gives the places away
      query_timeout: silentMs,
      application_name: "web-tester slots",
    });
    let beat: NodeJS.Timeout | undefined;
    const lost = () => {
      clearInterval(beat);
      if (session === opening) {
        session = null;
        held = new Set();
      }
    };
    client.on("error", lost);
    client.on("end", lost);
    const begin = async (): Promise<Client> => {
      await client.connect();
      await client.query(`SET idle_session_timeout = ${silentMs}`);
      beat = setInterval(() => void inTurn(() => client.query("SELECT 1")).catch(() => undefined), silentMs / 3);
      return client;
    };
    const opening = begin().catch((error: unknown) => {
      lost();
      if (isUnanswered(error)) endNow(client);
      throw unavailable(error);
    });
    session = opening;
    return opening;
  }

  async function tryTake(host: string, kind: SlotKind): Promise<(() => void) | null> {
    const mine = held;
    const key = keyOf(host);
    const free = slotsFor(kind, size).filter((slot) => !mine.has(`${key} ${slot}`));
    if (free.length === 0) return null;
    const client = await connect();
    for (const slot of free) {
      const { rows } = await client.query<{ got: boolean }>(toQuery(lock, [key, slot]));
      if (rows[0]?.got !== true) continue;
      const holding = held;
      holding.add(`${key} ${slot}`);
      return () => {
        if (!holding.delete(`${key} ${slot}`)) return;
        // when a session ends, its locks are released by the server
        void inTurn(() => client.query(toQuery(unlock, [key, slot]))).catch(() => undefined);
      };
    }
    return null;
  }

  /** Runs queries of the session one after the other; if one gets no answer, the session is closed, because nothing else would end it. */
  function inTurn<Result>(ask: () => Promise<Result>): Promise<Result> {
    const attempt = turn.then(ask).catch((error: unknown) => {
      if (!isUnanswered(error)) throw error;
      void session?.then(endNow, () => undefined);
      session = null;
      held = new Set();
      throw unavailable(error);
    });
    turn = attempt.catch(() => undefined);
    return attempt;
  }

  const tryInTurn = (host: string, kind: SlotKind) => inTurn(() => watch(() => tryTake(host, kind)));

  return {
    tryTake: tryInTurn,
    async take(host, kind, waiting) {
      for (;;) {
        const release = await tryInTurn(host, kind);
        if (release !== null) return release;
        const pause = new Promise<void>((resolve) => setTimeout(resolve, lookEveryMs * (0.5 + Math.random())));
        await Promise.all([pause, waiting(pause)]);
      }
    },
    async close() {
      const client = await session?.catch(() => null);
      session = null;
      await client?.end();
    },
  };
}
