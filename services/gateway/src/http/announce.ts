import type { Bus, OutgoingWork } from "@web-tester/platform/bus/bus";
import type { Logger } from "@web-tester/platform/log/logger";

/** How long a caller waits for the bus, in milliseconds; committed rows are found by the reconciler anyway. */
const patienceMs = 2_000;

/**
 * Publishes the messages of committed rows. Never throws: rows without a message are published again by the reconciler of their kind,
 * so a bus that is down costs the caller a moment, but loses no work.
 * @returns false when the bus took too long or refused
 */
export async function announce(bus: Bus, log: Logger, messages: readonly OutgoingWork[]): Promise<boolean> {
  const published = bus.publish(messages).then(
    () => true,
    (error: unknown) => {
      log.warn(
        { err: error, messages: messages.length },
        "messages could not be published; their rows will be found and published again",
      );
      return false;
    },
  );
  const { promise: patience, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), patienceMs);
  const inTime = await Promise.race([published, patience]);
  clearTimeout(timer);
  return inTime;
}
