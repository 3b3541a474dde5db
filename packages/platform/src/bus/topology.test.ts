import type { JetStreamManager } from "@nats-io/jetstream";
import { expect, test } from "@jest/globals";
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
