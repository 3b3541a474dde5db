import type { MessageBody, MessageName } from "@web-tester/contracts/messages";
import type { JobLine, ProductEvent } from "@web-tester/contracts/socket";

/** Where a work message goes: a lane where its table row has lanes, a partition where it is partitioned. */
export interface Address {
  lane?: string;
  partition?: number;
}

/** One message to publish. `dedupeId` (`<row id>:<generation>`, distinct within a message name) makes publishing twice harmless for two minutes. */
export interface OutgoingWork<N extends MessageName = MessageName> extends Address {
  name: N;
  body: MessageBody<N>;
  dedupeId: string;
}

/** How a handler ends: the message is done with, or comes back after a delay (units: milliseconds). */
export type Outcome = { done: true } | { done: false; retryInMs: number };
export const done: Outcome = { done: true };

/** What a handler gets beside the body. */
export interface Delivery {
  lane: string | null;
  partition: number | null;
  /** 1 = first delivery. */
  deliveries: number;
  /** Silence after which the message is given to another, milliseconds. */
  ackWaitMs: number;
  /** Tells the bus that the work goes on; call it more often than `ackWaitMs`. */
  working(): void;
  /** Gives back the place among the messages that this process handles at once, as what is left to do waits for others. */
  leave(): void;
  /** Takes such a place again, waiting for one in turn with messages that come new. Only after `leave`. */
  enter(): Promise<void>;
}

export interface Consumption<N extends MessageName> {
  name: N;
  /** Messages handled at once by this process, over all lanes and partitions, those that have left not counted. */
  concurrency: number;
  /** Throwing means: infrastructure fault, the message comes back after a growing delay. */
  handle(body: MessageBody<N>, delivery: Delivery): Promise<Outcome>;
}

/** Load of one consumer: `pending` not delivered yet, `inFlight` delivered and not acknowledged. */
export interface Load {
  pending: number;
  inFlight: number;
}

/** What the bus still holds for one consumer. */
export interface Outstanding {
  /** Bodies of messages that were delivered and are not acknowledged: in hand, handed back for later, or of a worker that died. */
  inFlight: readonly unknown[];
  /** How long the oldest message that was never delivered has waited; null where there is none, Infinity where that is not known. */
  pendingForMs: number | null;
}

/** What waits in one lane (`fetch-now`, `crawl`): messages not acknowledged yet, and how many of them could be in hand at the same time. */
export interface Backlog {
  lane: string;
  messages: number;
  workable: number;
}

export interface Bus {
  /** @throws AppError unavailable when the bus does not take the message; the reconciler then repeats it. */
  publish(messages: readonly OutgoingWork[]): Promise<void>;
  /** Starts taking messages; the returned function stops taking and waits for those in hand. */
  consume<N extends MessageName>(consumption: Consumption<N>): Promise<() => Promise<void>>;
  load(name: MessageName, address: Address): Promise<Load>;
  /** Reads a message for each that is in flight: for those who look for work that has none. */
  outstanding(name: MessageName, address: Address): Promise<Outstanding>;
  /** Every lane of the message table, with one question to the server. */
  backlog(): Promise<Backlog[]>;
  publishEvent(event: ProductEvent): void;
  /** @returns a function that ends the subscription. */
  onEvent(listener: (event: ProductEvent) => void): () => void;
  /** Tells all processes something, now: nobody has to listen, and nothing is kept. */
  tell(subject: string, value: unknown): void;
  /** Listens to what is told; the listener checks what it gets. @returns a function that ends it. */
  hear(subject: string, listener: (value: unknown) => void): () => void;
  /** Addresses (`host:port`) of the server in use and of those that its cluster tells of. */
  servers(): string[];
  /** Appends a line to the job log, without secrets and on one line; never throws and never waits. */
  logLine(runId: string, level: JobLine["level"], message: string): void;
  onLogLine(listener: (line: JobLine) => void): () => void;
  /** The newest lines of the job log, oldest first. */
  logHistory(lines: number): Promise<JobLine[]>;
  logStats(): Promise<{ bytes: number; name: string }>;
  /** Forgets all lines. */
  clearLog(): Promise<void>;
  /** Asks a question over request/reply and gives back the raw answer. @throws AppError unavailable when nobody answers in time. */
  ask(subject: string, request: unknown, timeoutMs: number): Promise<unknown>;
  /** Answers questions; an AppError thrown by `handle` reaches the asker as one. */
  answer(subject: string, concurrency: number, handle: (request: unknown) => Promise<unknown>): () => Promise<void>;
  /** @throws AppError unavailable */
  check(): Promise<void>;
  close(): Promise<void>;
}
