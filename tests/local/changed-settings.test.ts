import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openBus } from "@web-tester/platform/bus/open-bus";
import { randomUUID } from "node:crypto";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { until } from "../support/until.js";

/** The bus outlives the processes: consumers that were made under other settings are taken over. */
let own: OwnDatabase;

beforeAll(async () => {
  own = await startDatabase();
});
afterAll(() => own.stop());

const address = { lane: "bulk", partition: 5 };

/** Returns how many messages of one host are worked on at once under these settings. */
async function inHandUnder(settings: { hostConcurrency: number; ackWaitMs: number }): Promise<number> {
  const faults: string[] = [];
  const onError = (what: string, error: unknown) => void faults.push(`${what}: ${String(error)}`);
  const bus = await openBus(own.natsUrl, { name: "test", ...settings, onError });
  const ended = Promise.withResolvers<void>();
  let inHand = 0;
  const stop = await bus.consume({
    name: "fetch",
    concurrency: 8,
    async handle() {
      inHand++;
      await ended.promise;
      return { done: true };
    },
  });
  try {
    await bus.publish(
      Array.from({ length: 6 }, () => randomUUID()).map((id) => ({
        ...{ name: "fetch" as const, ...address, body: { snapshotIds: [id], host: "kept.test" }, dedupeId: id },
      })),
    );
    await until("as many in hand as may be", async () => {
      if (faults.length > 0) return true;
      const { inFlight } = await bus.load("fetch", address);
      return inFlight === settings.hostConcurrency && inHand === inFlight;
    });
    expect(faults).toEqual([]);
    return inHand;
  } finally {
    ended.resolve();
    await until("nothing left", async () => {
      const { pending, inFlight } = await bus.load("fetch", address);
      return faults.length > 0 || pending + inFlight === 0;
    });
    await stop();
    await bus.close();
  }
}

test("messages are taken after HOST_CONCURRENCY or LEASE_MS became another, as many as may be now", async () => {
  expect(await inHandUnder({ hostConcurrency: 4, ackWaitMs: 30_000 })).toBe(4);
  expect(await inHandUnder({ hostConcurrency: 2, ackWaitMs: 30_000 })).toBe(2);
  expect(await inHandUnder({ hostConcurrency: 3, ackWaitMs: 10_000 })).toBe(3);
});
