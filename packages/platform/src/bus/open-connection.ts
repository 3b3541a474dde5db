import { AppError } from "@web-tester/contracts/errors";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import { connect, errors, type NatsConnection } from "@nats-io/transport-node";
import { lackOfHandles } from "../lifecycle/lack-of-handles.js";
import { isUnacknowledged } from "./repair-streams.js";

/** Whether the server closed the connection because our credentials came too late: the server or this process had no processor time. */
const isTooLateToSayWho = (error: unknown): boolean =>
  error instanceof errors.AuthorizationError && /timeout/i.test(error.message);

/**
 * Opens a connection that is never given up: it reconnects when the server goes away, and also when the server refuses our credentials for
 * a while.
 * @param url nats://[user:password@]host:port[,host:port…]
 * @param name shown by the server
 * @param timeoutMs within which a server has to answer
 * @throws AppError unavailable
 */
export async function openConnection(
  url: string,
  { name, timeoutMs, patienceMs }: { name: string; timeoutMs: number; patienceMs: number },
): Promise<NatsConnection> {
  const addresses = url.split(",").map((part) => new URL(part.includes("://") ? part : `nats://${part}`));
  const first = addresses[0];
  const hosts = addresses.map(({ host }) => host);
  const begin = () =>
    connect({
      servers: hosts,
      ...(first !== undefined && first.username !== ""
        ? { user: decodeURIComponent(first.username), pass: decodeURIComponent(first.password) }
        : {}),
      name,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      // by default the client gives a connection up for good after two authorization errors
      ignoreAuthErrorAbort: true,
      pingInterval: 10_000,
      timeout: timeoutMs,
      ...(first?.protocol === "tls:" ? { tls: {} } : {}),
    });
  try {
    return await patiently(begin, patienceMs, isTooLateToSayWho);
  } catch (cause) {
    const isRefused = cause instanceof errors.AuthorizationError && !isTooLateToSayWho(cause);
    const lack = lackOfHandles(cause);
    const message = isRefused
      ? `NATS at ${hosts.join(", ")} does not let us in. Correct the user or password in NATS_URL.`
      : `NATS does not answer at ${hosts.join(", ")}. Check that nats-server runs and NATS_URL is right.`;
    throw new AppError("unavailable", lack === undefined ? message : `NATS cannot be reached. ${lack}.`, { cause });
  }
}

/**
 * @param timeoutMs timeout of each request
 * @throws AppError unavailable at once when the server has no JetStream, or when JetStream does not answer in time
 */
export async function openManager(
  connection: NatsConnection,
  { timeoutMs, patienceMs }: { timeoutMs: number; patienceMs: number },
): Promise<JetStreamManager> {
  try {
    return await patiently(() => jetstreamManager(connection, { timeout: timeoutMs }), patienceMs);
  } catch (cause) {
    const message = isUnacknowledged(cause)
      ? "NATS answers, but its JetStream does not. Look whether the server is still starting, overloaded or out of disk."
      : "NATS answers, but JetStream is off. Start nats-server with JetStream (-js).";
    throw new AppError("unavailable", message, { cause });
  }
}

/**
 * Repeats a request that times out until `patienceMs` are over: the server or this process may be too busy to be in time, as when
 * everything has just started.
 * @param isSlowness whether an error means only slowness
 * @throws what was thrown last
 */
export async function patiently<Result>(
  act: () => Promise<Result>,
  patienceMs: number,
  isSlowness: (error: unknown) => boolean = isUnacknowledged,
): Promise<Result> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isSlowness(error) || performance.now() >= until) throw error;
    }
  }
}
