import type { StreamName } from "@web-tester/contracts/messages";
import type { JetStreamManager } from "@nats-io/jetstream";
import { TimeoutError } from "@nats-io/transport-node";
import { ensureStreams } from "./topology.js";

/** A stream younger than this was just created again, by this process or another. */
const youngMs = 15_000;

export interface StreamRepairer {
  /** Creates the streams that are missing. Concurrent callers share one attempt. */
  ensure(): Promise<void>;
  /**
   * Deletes and creates a stream that exists but no longer stores anything: a server whose files were deleted goes on answering, drops
   * every message and acknowledges none. What the stream still held is lost; the database rows are the truth, and the reconciler publishes
   * them again.
   */
  renew(stream: StreamName): Promise<void>;
}

export function createStreamRepairer(manager: JetStreamManager, replicas: number): StreamRepairer {
  let ensuring: Promise<void> | null = null;
  const renewing = new Map<StreamName, Promise<void>>();

  function ensure(): Promise<void> {
    ensuring ??= ensureStreams(manager, replicas).finally(() => {
      ensuring = null;
    });
    return ensuring;
  }

  async function renewOnce(stream: StreamName): Promise<void> {
    const { created } = await manager.streams.info(stream);
    // a stream from the future is not young: this clock, or the server's, has been set back since
    if (Math.abs(Date.now() - Date.parse(created)) < youngMs) return;
    await manager.streams.delete(stream);
    await ensure();
  }

  return {
    ensure,
    renew(stream) {
      const current = renewing.get(stream) ?? renewOnce(stream).finally(() => renewing.delete(stream));
      renewing.set(stream, current);
      return current;
    },
  };
}

/** Whether an error means that a message was sent but no server confirmed that it is stored. */
export function isUnacknowledged(error: unknown): boolean {
  return (
    error instanceof TimeoutError ||
    (error instanceof Error && (error.cause instanceof TimeoutError || error.message === "timeout"))
  );
}
