import {
  type MessageName,
  messages,
  partitions,
  type StreamName,
  streams,
  type WorkMessage,
} from "@web-tester/contracts/messages";
import {
  AckPolicy,
  type ConsumerInfo,
  type JetStreamManager,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
} from "@nats-io/jetstream";
import type { Address } from "./bus.js";

const nanosPerMs = 1_000_000;

/** The subject of an address: `work.fetch` with lane `bulk` and partition 7 is `work.fetch.bulk.07`. */
export function subjectOf(name: MessageName, address: Address): string {
  return [messages[name].subject, ...tokens(messages[name], address)].join(".");
}

/** Durable name of the consumer that serves an address: `fetch-bulk-07`. */
export function consumerOf(name: MessageName, address: Address): string {
  return [name, ...tokens(messages[name], address)].join("-");
}

function tokens(message: WorkMessage, address: Address): string[] {
  const found: string[] = [];
  if (message.lanes.length > 0) {
    if (address.lane === undefined || !message.lanes.includes(address.lane))
      throw new Error(`${message.subject} needs one of the lanes ${message.lanes.join(", ")}`);
    found.push(address.lane);
  }
  if (message.partitioned) {
    if (address.partition === undefined || address.partition < 0 || address.partition >= partitions)
      throw new Error(`${message.subject} needs a partition from 0 to ${partitions - 1}`);
    found.push(String(address.partition).padStart(2, "0"));
  }
  return found;
}

/** Every address of a message, in lane order. */
export function addressesOf(name: MessageName): Address[] {
  const message: WorkMessage = messages[name];
  const lanes = message.lanes.length > 0 ? message.lanes : [undefined];
  const numbers = message.partitioned ? Array.from({ length: partitions }, (_, partition) => partition) : [undefined];
  return lanes.flatMap((lane) =>
    numbers.map((partition) => ({
      ...(lane === undefined ? {} : { lane }),
      ...(partition === undefined ? {} : { partition }),
    })),
  );
}

/**
 * Creates the streams of the table that are missing, and updates the limits of the others.
 * @param replicas servers of the cluster that keep each message
 */
export async function ensureStreams(manager: JetStreamManager, replicas: number): Promise<void> {
  for (const [name, stream] of Object.entries(streams)) {
    const config = {
      subjects: [...stream.subjects],
      max_age: stream.maxAgeMs * nanosPerMs,
      max_bytes: stream.maxBytes > 0 ? stream.maxBytes : -1,
      duplicate_window: 120_000 * nanosPerMs,
      allow_direct: true,
      num_replicas: replicas,
    };
    try {
      await manager.streams.update(name, config);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await manager.streams.add({
        name,
        ...config,
        retention: stream.retention === "workqueue" ? RetentionPolicy.Workqueue : RetentionPolicy.Limits,
        storage: StorageType.File,
      });
    }
  }
}

/** Error code of the server: a consumer of this name exists with other limits. */
const consumerExists = 10_148;

/** Creates the consumer of one address, or updates the limits of an existing one. */
export async function ensureConsumer(
  manager: JetStreamManager,
  name: MessageName,
  address: Address,
  limits: { hostConcurrency: number; ackWaitMs?: number },
): Promise<ConsumerInfo> {
  const message = messages[name];
  const stream = message.stream satisfies StreamName;
  const durable = consumerOf(name, address);
  const changeable = {
    ack_wait: (limits.ackWaitMs ?? message.ackWaitMs) * nanosPerMs,
    max_ack_pending: message.partitioned ? limits.hostConcurrency : message.maxInFlight,
    max_deliver: -1,
  };
  try {
    return await manager.consumers.add(stream, {
      durable_name: durable,
      filter_subject: subjectOf(name, address),
      ack_policy: AckPolicy.Explicit,
      max_waiting: 512,
      ...changeable,
    });
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || error.code !== consumerExists) throw error;
    return manager.consumers.update(stream, durable, changeable);
  }
}

/**
 * Whether a consumer has delivered messages that its stream never held: a server that lost the end of its files, as in a power cut, numbers
 * new messages again from there, and passes over them until it comes to the number that the consumer remembers.
 */
export async function isAheadOfStream(
  manager: Pick<JetStreamManager, "streams">,
  consumer: Pick<ConsumerInfo, "stream_name" | "delivered">,
): Promise<boolean> {
  if (consumer.delivered.stream_seq === 0) return false;
  // asked for after the consumer, so that what was delivered by then is counted
  const { state } = await manager.streams.info(consumer.stream_name);
  return consumer.delivered.stream_seq > state.last_seq;
}

/** Whether an error means that a stream or consumer does not exist (any more). */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof JetStreamApiError &&
    (error.code === JetStreamApiCodes.StreamNotFound || error.code === JetStreamApiCodes.ConsumerNotFound)
  );
}
