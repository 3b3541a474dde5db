import type { JobWords } from "@web-tester/contracts/job-lines";
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

/** How a handler ends: the message is finished, or it comes back after a delay in milliseconds. */
export type Outcome = { done: true } | { done: false; retryInMs: number };
export const done: Outcome = { done: true };

/** What a handler gets besides the body. */
export interface Delivery {
  lane: string | null;
  partition: number | null;
  /** 1 = first delivery. */
  deliveries: number;
  /** Milliseconds without `working()` or an answer after which the server redelivers the message, perhaps to another process. */
  ackWaitMs: number;
  /** Tells the bus that the work continues; call it more often than `ackWaitMs`. */
  working(): void;
  /** Gives back the message's slot among those that this process handles at once, because the rest of its work only waits for others. */
  leave(): void;
  /** Takes a slot again, in turn with new messages. Only after `leave`. */
  enter(): Promise<void>;
}

export interface Consumption<N extends MessageName> {
  name: N;
  /** How many messages this process handles at once, over all lanes and partitions. Messages that have left their slot do not count. */
  concurrency: number;
  /** Throwing means that the infrastructure failed: the message comes back after a delay that grows each time. */
  handle(body: MessageBody<N>, delivery: Delivery): Promise<Outcome>;
}

/**
 * How much work one consumer has: `pending` messages were not delivered yet, `inFlight` were delivered and are not
 * acknowledged.
 */
interface Load {
  pending: number;
  inFlight: number;
}

/** What the bus still holds for one consumer. */
export interface Outstanding {
  /** Bodies of the messages that were delivered and are not acknowledged: being worked on, to be retried later, or held by a worker that died. */
  inFlight: readonly unknown[];
  /** How long the oldest message that was never delivered has waited, in milliseconds; null when there is none, Infinity when the age is not known. */
  pendingForMs: number | null;
}

/** What waits in one lane (`fetch-now`, `crawl`): the messages that are not acknowledged, and how many of them could be handled at the same time. */
export interface Backlog {
  lane: string;
  messages: number;
  workable: number;
}

export interface Bus {
  /** @throws AppError unavailable when the bus does not take the message; the reconciler then repeats it. */
  publish(messages: readonly OutgoingWork[]): Promise<void>;
  /** Starts taking messages; the returned function stops taking and waits for the messages in hand. */
  consume<N extends MessageName>(consumption: Consumption<N>): Promise<() => Promise<void>>;
  load(name: MessageName, address: Address): Promise<Load>;
  /** Reads the bodies of all messages in flight, for the reconciler, which looks for rows without a message. */
  outstanding(name: MessageName, address: Address): Promise<Outstanding>;
  /** What waits in every lane of the message table, by a single request to the server. */
  backlog(): Promise<Backlog[]>;
  publishEvent(event: ProductEvent): void;
  /** @returns a function that ends the subscription. */
  onEvent(listener: (event: ProductEvent) => void): () => void;
  /** Sends a value to all processes that listen at this moment; nothing is stored. */
  tell(subject: string, value: unknown): void;
  /**
   * Listens to values that `tell` sends; the listener must validate them.
   * @returns a function that ends the subscription
   */
  hear(subject: string, listener: (value: unknown) => void): () => void;
  /** Addresses (`host:port`) of the server in use and of the other servers of its cluster. */
  servers(): string[];
  /** Appends a line to the job log, with secrets and line breaks taken out. Never throws and never waits. */
  logLine(runId: string, level: JobLine["level"], said: string | JobWords): void;
  onLogLine(listener: (line: JobLine) => void): () => void;
  /** The newest lines of the job log, oldest first. */
  logHistory(lines: number): Promise<JobLine[]>;
  logStats(): Promise<{ bytes: number; name: string }>;
  /** Removes all lines. */
  clearLog(): Promise<void>;
  /**
   * Asks a question by request and reply, and returns the answer without validating it.
   * @throws AppError unavailable when nobody answers in time.
   */
  ask(subject: string, request: unknown, timeoutMs: number): Promise<unknown>;
  /** Answers questions; an AppError thrown by `handle` reaches the asker as one. */
  answer(subject: string, concurrency: number, handle: (request: unknown) => Promise<unknown>): () => Promise<void>;
  /** @throws AppError unavailable */
  check(): Promise<void>;
  close(): Promise<void>;
}
