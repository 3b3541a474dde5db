import { AppError } from "@web-tester/contracts/errors";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { isUnacknowledged } from "./repair-streams.js";

/** Does what a server may be too busy to answer in time, again until `patienceMs` are over: it may have just started, as everything around it. */
export async function patiently<Result>(act: () => Promise<Result>, patienceMs: number): Promise<Result> {
  const until = performance.now() + patienceMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isUnacknowledged(error)) throw error;
      if (performance.now() >= until) throw slow(error);
    }
  }
}

/**
 * @param timeoutMs of each request
 * @throws AppError unavailable where the server has no JetStream, at once, or where that does not answer in time
 */
export async function openManager(
  connection: NatsConnection,
  { timeoutMs, patienceMs }: { timeoutMs: number; patienceMs: number },
): Promise<JetStreamManager> {
  try {
    return await patiently(() => jetstreamManager(connection, { timeout: timeoutMs }), patienceMs);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("unavailable", "NATS answers, but JetStream is off. Start nats-server with JetStream (-js).", {
      cause: error,
    });
  }
}

function slow(cause: unknown): AppError {
  return new AppError(
    "unavailable",
    "NATS answers, but its JetStream does not. Look whether the server is still starting, overloaded or out of disk.",
    { cause },
  );
}
