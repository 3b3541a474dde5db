import { AppError } from "@web-tester/contracts/errors";
import { type JetStreamManager, jetstreamManager } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { patiently } from "./patiently.js";
import { isUnacknowledged } from "./repair-streams.js";

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
  } catch (cause) {
    const message = isUnacknowledged(cause)
      ? "NATS answers, but its JetStream does not. Look whether the server is still starting, overloaded or out of disk."
      : "NATS answers, but JetStream is off. Start nats-server with JetStream (-js).";
    throw new AppError("unavailable", message, { cause });
  }
}
