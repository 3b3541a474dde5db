import type { JetStreamManager } from "@nats-io/jetstream";
import { expect, test } from "@jest/globals";
import { readOutstanding } from "./outstanding.js";

const sentAt = "2026-01-02T10:00:00Z";

/** What a server says of a consumer, and of the messages of its subject by their sequence. */
function server(consumer: { floor: number; delivered: number; pending: number; inFlight: number }, stored: number[]) {
  return {
    consumers: {
      info: async () => ({
        num_pending: consumer.pending,
        num_ack_pending: consumer.inFlight,
        ack_floor: { stream_seq: consumer.floor },
        delivered: { stream_seq: consumer.delivered },
        ts: "2026-01-02T10:00:05Z",
      }),
    },
    direct: {
      getMessage: async (_stream: string, { seq }: { seq: number }) => {
        const next = stored.find((one) => one >= seq);
        return next === undefined ? null : { seq: next, time: new Date(sentAt), json: () => next };
      },
    },
  } as unknown as JetStreamManager;
}

test("what was delivered and not acknowledged is in flight, what comes behind it waits", async () => {
  const healthy = server({ floor: 4, delivered: 7, pending: 2, inFlight: 2 }, [5, 7, 8, 9]);
  expect(await readOutstanding(healthy, "diff", {})).toEqual({ inFlight: [5, 7], pendingForMs: 5_000 });
});

test("messages that are still stored although everything up to them is acknowledged are not in flight", async () => {
  const damaged = server({ floor: 114, delivered: 253, pending: 0, inFlight: 1 }, [89, 97, 120]);
  expect(await readOutstanding(damaged, "diff", {})).toEqual({ inFlight: [120], pendingForMs: null });
});

test("where more messages are stored than are in flight, none counts as that", async () => {
  const damaged = server({ floor: 114, delivered: 1_428, pending: 0, inFlight: 1 }, [792, 793, 1_034]);
  expect(await readOutstanding(damaged, "diff", {})).toEqual({ inFlight: [], pendingForMs: null });
});
