import type { MessageName } from "@web-tester/contracts/messages";
import { messages } from "@web-tester/contracts/messages";
import type { JetStreamManager, StoredMsg } from "@nats-io/jetstream";
import type { Address, Outstanding } from "./bus.js";
import { consumerOf, isMissing, subjectOf } from "./topology.js";

/**
 * Reads what the work stream holds for one consumer. Acknowledged messages leave the stream, so a subject holds the messages that were
 * delivered and not acknowledged (few, as the consumer limits them), followed by those that were never delivered. Ages are computed by the
 * server's clock, because the database's may differ.
 */
export async function readOutstanding(
  manager: JetStreamManager,
  name: MessageName,
  address: Address,
): Promise<Outstanding> {
  const { stream } = messages[name];
  try {
    const info = await manager.consumers.info(stream, consumerOf(name, address));
    if (info.num_pending === 0 && info.num_ack_pending === 0) return { inFlight: [], pendingForMs: null };
    const inFlight: unknown[] = [];
    let next: StoredMsg | null = null;
    // what lies below the acknowledged ones is never delivered again: damaged files of the server bring such messages back
    for (let seq = info.ack_floor.stream_seq + 1; ; seq = next.seq + 1) {
      next = await manager.direct.getMessage(stream, { seq, next_by_subj: subjectOf(name, address) });
      if (next === null || next.seq > info.delivered.stream_seq) break;
      inFlight.push(next.json());
    }
    // more than are in flight: some were passed over after the server lost the end of its files, and nobody knows which
    if (inFlight.length > info.num_ack_pending) inFlight.length = 0;
    const nowMs = info.ts === undefined ? Date.now() : Date.parse(info.ts);
    if (next !== null) return { inFlight, pendingForMs: Math.max(0, nowMs - next.time.getTime()) };
    // the replica that answered may not have the newest messages yet
    return { inFlight, pendingForMs: info.num_pending === 0 ? null : Infinity };
  } catch (error) {
    if (isMissing(error)) return { inFlight: [], pendingForMs: null };
    throw error;
  }
}
