import type { JetStreamManager } from "@nats-io/jetstream";
import { expect, test } from "@jest/globals";
import { createStreamRepairer } from "./repair-streams.js";
import { isAheadOfStream } from "./topology.js";

const manager = (lastSeq: number) =>
  ({ streams: { info: async () => ({ state: { last_seq: lastSeq } }) } }) as unknown as JetStreamManager;
const consumer = (delivered: number) => ({
  stream_name: "WORK",
  delivered: { consumer_seq: delivered, stream_seq: delivered, last_active: 0 },
});

test.each([
  { delivered: 0, lastSeq: 0, ahead: false },
  { delivered: 7, lastSeq: 7, ahead: false },
  { delivered: 7, lastSeq: 90, ahead: false },
  { delivered: 1_409, lastSeq: 809, ahead: true },
])("a consumer that delivered up to $delivered of a stream that ends at $lastSeq: $ahead", async (one) => {
  expect(await isAheadOfStream(manager(one.lastSeq), consumer(one.delivered))).toBe(one.ahead);
});

test.each([
  { what: "made a minute ago", ageMs: 60_000, renewed: true },
  { what: "just made", ageMs: 1_000, renewed: false },
  { what: "just made, by a server whose clock is a little ahead", ageMs: -1_000, renewed: false },
  { what: "made before the clock was set back by an hour", ageMs: -3_600_000, renewed: true },
])("a stream that keeps nothing, $what: renewed $renewed", async ({ ageMs, renewed }) => {
  const deleted: string[] = [];
  const streams = {
    info: async () => ({ created: new Date(Date.now() - ageMs).toISOString() }),
    delete: async (name: string) => void deleted.push(name),
    update: async () => undefined,
  };
  await createStreamRepairer({ streams } as unknown as JetStreamManager, 1).renew("WORK");
  expect(deleted).toEqual(renewed ? ["WORK"] : []);
});
