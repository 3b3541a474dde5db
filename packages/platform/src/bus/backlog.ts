import { messages, type MessageName, type WorkMessage } from "@web-tester/contracts/messages";
import type { Backlog } from "./bus.js";
import { addressesOf, subjectOf } from "./topology.js";

/** Every subject of the work stream. */
export const allWork = "work.>";

/**
 * Sums the backlog of each lane over its consumers. Each consumer counts as workable only up to the messages that all workers together may
 * have in flight, so `workable` is what more workers could take.
 * @param counts messages in the stream by subject
 */
export function backlogOf(counts: Readonly<Record<string, number>>, hostConcurrency: number): Backlog[] {
  const lanes = new Map<string, Backlog>();
  for (const name of Object.keys(messages) as MessageName[]) {
    const message: WorkMessage = messages[name];
    const atOnce = message.partitioned ? hostConcurrency : message.maxInFlight;
    for (const address of addressesOf(name)) {
      const lane = address.lane === undefined ? name : `${name}-${address.lane}`;
      const sum = lanes.get(lane) ?? { lane, messages: 0, workable: 0 };
      const waiting = counts[subjectOf(name, address)] ?? 0;
      lanes.set(lane, {
        lane,
        messages: sum.messages + waiting,
        workable: sum.workable + Math.min(waiting, atOnce),
      });
    }
  }
  return [...lanes.values()];
}
