import { messages, type MessageBody, type MessageName, type WorkMessage } from "@web-tester/contracts/messages";
import type { Consumer, ConsumerMessages, JsMsg } from "@nats-io/jetstream";
import type { MessageEnd, OnHandled } from "../metrics/message-metrics.js";
import type { Tracer } from "../tracing/tracer.js";
import type { Address, Consumption, Delivery, Outcome } from "./bus.js";
import type { Slots } from "./slots.js";
import { readJson } from "./wire.js";

const pullExpiresMs = 30_000;
const restartDelayMs = 500;

export interface PullLoop<N extends MessageName> {
  consumption: Consumption<N>;
  address: Address;
  slots: Slots;
  ackWaitMs: number;
  /** Finds the consumer, creating it (and its stream) when it is missing. */
  connect(): Promise<Consumer>;
  onError(message: string, error: unknown, about?: string): void;
  onHandled: OnHandled;
  tracer: Tracer;
}

/**
 * Takes the messages of one consumer, one at a time as slots become free, until stopped. Anything that breaks a pull (restarted server,
 * deleted stream) leads to a new connect after a short pause.
 * @returns a function that stops taking and waits for the messages in hand
 */
export function startPullLoop<N extends MessageName>(loop: PullLoop<N>): () => Promise<void> {
  const inHand = new Set<Promise<void>>();
  const stopped = Promise.withResolvers<void>();
  let stopping = false;
  let pull: ConsumerMessages | null = null;

  async function run(): Promise<void> {
    let consumer: Consumer | null = null;
    while (!stopping) {
      try {
        consumer ??= await loop.connect();
        await loop.slots.free();
        if (stopping) return;
        pull = await consumer.fetch({ max_messages: 1, expires: pullExpiresMs, bind: true });
        for await (const message of pull) keep(inHand, loop, message, await enterPlace(message, loop));
      } catch (error) {
        consumer = null;
        if (stopping) return;
        loop.onError("messages cannot be taken from the bus", error, loop.consumption.name);
        await Promise.race([stopped.promise, new Promise((resolve) => setTimeout(resolve, restartDelayMs))]);
      } finally {
        pull = null;
      }
    }
  }

  const running = run();
  return async () => {
    stopping = true;
    stopped.resolve();
    pull?.stop();
    await Promise.race([running, Promise.allSettled([...inHand])]);
    await Promise.allSettled([...inHand]);
  };
}

type Place = Pick<Delivery, "leave" | "enter">;

/** Has a message handled, and keeps the promise in `inHand` until it is done. */
function keep<N extends MessageName>(
  inHand: Set<Promise<void>>,
  loop: PullLoop<N>,
  message: JsMsg,
  place: Place,
): void {
  const work = deliver(message, loop, place).finally(() => {
    place.leave();
    inHand.delete(work);
  });
  inHand.add(work);
}

/** Takes a slot for a message before it is handled. */
async function enterPlace<N extends MessageName>(message: JsMsg, loop: PullLoop<N>): Promise<Place> {
  let leave = await takeSlot(message, loop);
  return {
    leave: () => leave(),
    async enter() {
      leave = await takeSlot(message, loop);
    },
  };
}

/** Waits for a free slot, and tells the bus meanwhile that the message is being worked on. */
async function takeSlot<N extends MessageName>(message: JsMsg, loop: PullLoop<N>): Promise<() => void> {
  const timer = setInterval(() => message.working(), loop.ackWaitMs / 3);
  try {
    return await loop.slots.take();
  } finally {
    clearInterval(timer);
  }
}

async function deliver<N extends MessageName>(message: JsMsg, loop: PullLoop<N>, place: Place): Promise<void> {
  const startedAt = performance.now();
  const end = await loop.tracer.span(
    `handle ${loop.consumption.name}`,
    {
      kind: "consumer",
      carried: { get: (name) => message.headers?.get(name) || undefined },
      attributes: { "messaging.system": "nats", "messaging.destination.name": message.subject },
    },
    async (span) => {
      const ended = await handle(message, loop, place);
      span.set({ "message.end": ended, "message.deliveries": message.info.deliveryCount });
      return ended;
    },
  );
  loop.onHandled(loop.consumption.name, loop.address.lane, end, (performance.now() - startedAt) / 1000);
}

async function handle<N extends MessageName>(message: JsMsg, loop: PullLoop<N>, place: Place): Promise<MessageEnd> {
  const { consumption, address } = loop;
  const table: WorkMessage = messages[consumption.name];
  const parsed = table.schema.safeParse(readJson(message));
  if (!parsed.success) {
    loop.onError(`a ${consumption.name} message that does not fit its schema was dropped`, parsed.error);
    message.term("does not fit its schema");
    return "dropped";
  }
  let outcome: Outcome;
  try {
    // safe cast: the type is inferred from the schema that has just parsed the body
    outcome = await consumption.handle(parsed.data as MessageBody<N>, {
      lane: address.lane ?? null,
      partition: address.partition ?? null,
      ackWaitMs: loop.ackWaitMs,
      deliveries: message.info.deliveryCount,
      working: () => message.working(),
      ...place,
    });
  } catch (error) {
    loop.onError(`handling ${consumption.name} failed; it will be tried again`, error);
    // never a nak without a delay: the message would be redelivered at once, over and over
    message.nak(Math.min(30_000, 500 * 2 ** Math.min(message.info.deliveryCount, 6)));
    return "failed";
  }
  if (outcome.done) {
    message.ack();
    return "done";
  }
  message.nak(Math.max(100, Math.round(outcome.retryInMs)));
  return "again";
}
