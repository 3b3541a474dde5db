import { AppError } from "@web-tester/contracts/errors";
import {
  eventSubject,
  jobLogSubject,
  type MessageName,
  messages,
  type StreamName,
} from "@web-tester/contracts/messages";
import { productEvent } from "@web-tester/contracts/socket";
import { type Consumer, type JetStreamClient, type JetStreamManager, jetstream } from "@nats-io/jetstream";
import type { MsgHdrs, NatsConnection } from "@nats-io/transport-node";
import type { OnHandled } from "../metrics/message-metrics.js";
import { noTracer, type Tracer } from "../tracing/tracer.js";
import { allWork, backlogOf } from "./backlog.js";
import type { Address, Bus, Consumption, OutgoingWork } from "./bus.js";
import { createJobLog } from "./job-log.js";
import { openConnection, openManager, patiently } from "./open-connection.js";
import { createStreamRepairer, isUnacknowledged, type StreamRepairer } from "./repair-streams.js";
import { questionsOver } from "./questions.js";
import { readOutstanding } from "./outstanding.js";
import { startPullLoop } from "./pull-loop.js";
import { createSlots } from "./slots.js";
import { addressesOf, consumerOf, ensureConsumer, isAheadOfStream, isMissing, subjectOf } from "./topology.js";
import { carried, readJson } from "./wire.js";

export interface BusOptions {
  /** Shown by the server beside the connection: the service's name. */
  name: string;
  /** Messages in flight per host partition, over all replicas. */
  hostConcurrency: number;
  /** Replaces the ack waits of the message table; recovery tests make them short. */
  ackWaitMs?: number;
  /** `about`: which kind of work it is about. */
  onError(message: string, error: unknown, about?: string): void;
  /** Servers of the cluster that keep each message, default 1. */
  replicas?: number;
  /** Called for every message that was handled; default: not at all. */
  onHandled?: OnHandled;
  /** Traces work from the process that publishes it to the one that handles it; default: no tracing. */
  tracer?: Tracer;
}

const publishTogether = 128;
const apiTimeoutMs = 5_000;
/** Together with the last request this must be shorter than the time a service has to stop in, as it may be told to stop meanwhile. */
const startPatienceMs = 15_000;
const publishTimeoutMs = 3_000;

/** A connection to NATS, and what every part of the bus needs with it. */
interface Link {
  connection: NatsConnection;
  manager: JetStreamManager;
  client: JetStreamClient;
  repairer: StreamRepairer;
  tracer: Tracer;
  options: BusOptions;
}

/**
 * Connects to NATS and creates the streams of the message table. The connection is never given up: it reconnects when a server goes away,
 * and creates the streams again when a server lost its store.
 * @param url nats://[user:password@]host:port[,host:port…]
 * @throws AppError unavailable when no server answers within five seconds, or its JetStream not within twenty
 */
export async function openBus(url: string, options: BusOptions): Promise<Bus> {
  const link = await openLink(url, options);
  const { connection, manager } = link;
  const { flushLog, ...jobLog } = createJobLog(connection, manager);
  return {
    ...workOver(link),
    ...eventsOver(link),
    ...questionsOver(connection, link.tracer, options.onError),
    ...jobLog,
    servers: () => [...new Set([connection.getServer(), ...(connection.info?.connect_urls ?? [])])],
    async check() {
      await manager.getAccountInfo().catch((error: unknown) => {
        throw unavailable(error);
      });
    },
    async close() {
      flushLog();
      await connection.drain().catch(() => connection.close());
    },
  };
}

async function openLink(url: string, options: BusOptions): Promise<Link> {
  const connection = await openConnection(url, {
    name: options.name,
    timeoutMs: apiTimeoutMs,
    patienceMs: startPatienceMs,
  });
  try {
    const manager = await openManager(connection, { timeoutMs: apiTimeoutMs, patienceMs: startPatienceMs });
    const client = jetstream(connection, { timeout: apiTimeoutMs });
    const repairer = createStreamRepairer(manager, options.replicas ?? 1);
    await patiently(() => repairer.ensure(), startPatienceMs).catch((error: unknown) => {
      throw unavailable(error);
    });
    return { connection, manager, client, repairer, tracer: options.tracer ?? noTracer, options };
  } catch (error) {
    // it would reconnect for ever, beside that of the next attempt
    await connection.close();
    throw error;
  }
}

/** The part of the bus for work, which is stored until a worker has done it. */
function workOver(link: Link): Pick<Bus, "publish" | "consume" | "load" | "outstanding" | "backlog"> {
  const { manager, options } = link;
  return {
    async publish(outgoing) {
      for (let start = 0; start < outgoing.length; start += publishTogether)
        await Promise.all(outgoing.slice(start, start + publishTogether).map((work) => publishOne(link, work)));
    },
    consume: async (consumption) => consume(link, consumption),
    async load(name, address) {
      try {
        const info = await manager.consumers.info(messages[name].stream, consumerOf(name, address));
        return { pending: info.num_pending, inFlight: info.num_ack_pending };
      } catch (error) {
        if (isMissing(error)) return { pending: 0, inFlight: 0 };
        throw unavailable(error);
      }
    },
    outstanding: (name, address) =>
      readOutstanding(manager, name, address).catch((error: unknown) => {
        throw unavailable(error);
      }),
    async backlog() {
      try {
        const { state } = await manager.streams.info("WORK", { subjects_filter: allWork });
        return backlogOf(state.subjects ?? {}, options.hostConcurrency);
      } catch (error) {
        if (isMissing(error)) return backlogOf({}, options.hostConcurrency);
        throw unavailable(error);
      }
    },
  };
}

function consume<N extends MessageName>(link: Link, consumption: Consumption<N>): () => Promise<void> {
  const { options, tracer } = link;
  const bulk = createSlots(consumption.concurrency);
  // separate slots: work that a person waits for must not queue behind bulk work of the same process
  const now = createSlots(Math.max(2, Math.ceil(consumption.concurrency / 4)));
  const stops = addressesOf(consumption.name).map((address) =>
    startPullLoop({
      consumption,
      address,
      ackWaitMs: options.ackWaitMs ?? messages[consumption.name].ackWaitMs,
      slots: address.lane === "now" ? now : bulk,
      onError: options.onError,
      onHandled: options.onHandled ?? (() => undefined),
      tracer,
      connect: () => findConsumer(link, consumption.name, address),
    }),
  );
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

async function findConsumer(
  { client, manager, repairer, options }: Link,
  name: MessageName,
  address: Address,
): Promise<Consumer> {
  const ensure = async () => {
    const info = await ensureConsumer(manager, name, address, options);
    if (!(await isAheadOfStream(manager, info))) return client.consumers.getConsumerFromInfo(info);
    // a new one begins with the first message that is stored
    await manager.consumers.delete(info.stream_name, info.name);
    return client.consumers.getConsumerFromInfo(await ensureConsumer(manager, name, address, options));
  };
  try {
    return await ensure();
  } catch (error) {
    if (!isMissing(error)) throw error;
    await repairer.ensure();
    return ensure();
  }
}

/** The part of the bus for messages that are not stored: only processes that listen at that moment get them. */
function eventsOver({ connection, options }: Link): Pick<Bus, "publishEvent" | "onEvent" | "tell" | "hear"> {
  return {
    publishEvent(event) {
      if (!connection.isClosed())
        connection.publish(`${eventSubject.prefix}.${event.testobjectId}`, JSON.stringify(event));
    },
    onEvent(listener) {
      const subscription = connection.subscribe(eventSubject.all, {
        callback: (error, message) => {
          if (error !== null) return;
          const parsed = productEvent.safeParse(readJson(message));
          if (parsed.success) listener(parsed.data);
          else options.onError("an event that does not fit its schema was dropped", parsed.error);
        },
      });
      return () => subscription.unsubscribe();
    },
    tell(subject, value) {
      if (!connection.isClosed()) connection.publish(subject, JSON.stringify(value));
    },
    hear(subject, listener) {
      const subscription = connection.subscribe(subject, {
        callback: (error, message) => {
          if (error === null) listener(readJson(message));
        },
      });
      return () => subscription.unsubscribe();
    },
  };
}

function publishOne({ client, repairer, tracer }: Link, work: OutgoingWork): Promise<void> {
  return tracer.span(`publish ${work.name}`, { kind: "producer", onlyWithin: true }, () =>
    publishWith(client, repairer, work, carried(tracer)),
  );
}

async function publishWith(
  client: JetStreamClient,
  repairer: StreamRepairer,
  work: OutgoingWork,
  trace: { headers: MsgHdrs } | undefined,
): Promise<void> {
  const subject = subjectOf(work.name, work);
  const payload = JSON.stringify(work.body);
  // the message name is part of the id, because one stream carries all kinds of work and the same snapshot row is published under two
  // names: fetched, then compared
  const msgID = `${work.name}:${work.dedupeId}`;
  const { stream } = messages[work.name];
  // most likely the stream is gone: it is created, and publishing is retried. If that fails too, the reconciler publishes the row later
  const remedies = [
    () => repairer.ensure(),
    (error: unknown) => (isUnacknowledged(error) ? renewAll(client, repairer, stream) : Promise.reject(error)),
  ];
  for (;;) {
    try {
      await client.publish(subject, payload, { msgID, timeout: publishTimeoutMs, ...trace });
      return;
    } catch (error) {
      const remedy = remedies.shift();
      if (remedy === undefined) throw unavailable(error);
      await remedy(error).catch((fault: unknown) => {
        throw unavailable(fault);
      });
    }
  }
}

/**
 * Creates the given stream again, and the job log if it is broken too: a server that lost the files of one stream has most likely lost
 * those of the job log, and nobody would notice, as nobody waits for its lines.
 */
async function renewAll(client: JetStreamClient, repairer: StreamRepairer, stream: StreamName): Promise<void> {
  await repairer.renew(stream);
  const note = {
    id: `${process.pid}-bus-${Date.now()}`,
    level: "warn",
    message: "The message bus had lost its store and was set up again",
    ts: Date.now(),
    jobId: "bus",
    _pid: process.pid,
  };
  await client
    .publish(`${jobLogSubject.prefix}.bus`, JSON.stringify(note), { timeout: publishTimeoutMs })
    .catch((error: unknown) => (isUnacknowledged(error) ? repairer.renew("JOBLOG") : undefined));
}

function unavailable(error: unknown): AppError {
  return new AppError(
    "unavailable",
    `The message bus does not answer (${error instanceof Error ? error.message : String(error)}). Check that NATS runs and NATS_URL is right.`,
    { cause: error },
  );
}
