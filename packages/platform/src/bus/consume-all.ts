import {
  type MessageName,
  messages,
  type QuestionName,
  questions,
  type WorkMessage,
} from "@web-tester/contracts/messages";
import type { Bus, Consumption } from "./bus.js";

export type Receiver = WorkMessage["receiver"];

/** A handler for one question of the message table. */
export interface Answering {
  name: QuestionName;
  /** Questions answered at once by this process. */
  concurrency: number;
  answer(request: unknown): Promise<unknown>;
}

/** A consumption of any message; its body has the type that the message table gives it. */
export type AnyConsumption = { [N in MessageName]: Consumption<N> }[MessageName];

/**
 * Checks the handlers of a service against the message table.
 * @returns a sentence for each message without a handler, with two, or that another service receives; empty when there are no faults
 */
export function handlerFaults(receiver: Receiver, offered: readonly string[]): string[] {
  const table = [...Object.entries(messages), ...Object.entries(questions)].map(([name, row]) => ({
    name,
    receiver: row.receiver,
  }));
  const own = table.filter((row) => row.receiver === receiver).map((row) => row.name);
  // a question and a message may share a name: each then needs a handler of its own
  const wanted = count(own);
  const given = count(offered);
  return [...new Set([...own, ...offered])].flatMap((name) => {
    const [needs, has] = [wanted.get(name) ?? 0, given.get(name) ?? 0];
    if (needs === has) return [];
    if (needs === 0) return [`${receiver} has a handler for ${name}, which is not its to receive`];
    return has < needs
      ? [`${receiver} has no handler for ${name}`]
      : [`${receiver} has ${has} handlers for ${name} where ${needs} belong`];
  });
}

function count(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/**
 * Starts consuming all messages and questions that the message table gives to a service.
 * @throws Error naming every missing, doubled or foreign handler; nothing is taken then
 * @returns a function that stops taking and waits for the work in hand
 */
export async function consumeAll(
  bus: Bus,
  receiver: Receiver,
  consumptions: readonly AnyConsumption[],
  answerings: readonly Answering[] = [],
): Promise<() => Promise<void>> {
  const faults = handlerFaults(
    receiver,
    [...consumptions, ...answerings].map(({ name }) => name),
  );
  if (faults.length > 0) throw new Error(`The service does not fit the message table: ${faults.join("; ")}.`);
  const stops = [
    ...(await Promise.all(consumptions.map((consumption) => consumeOne(bus, consumption)))),
    ...answerings.map(({ name, concurrency, answer }) => bus.answer(questions[name].subject, concurrency, answer)),
  ];
  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}

function consumeOne<N extends MessageName>(bus: Bus, consumption: Consumption<N>): Promise<() => Promise<void>> {
  return bus.consume(consumption);
}
