import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Delivery } from "@web-tester/platform/bus/bus";
import { releaseRows } from "@web-tester/records/leases/leased-rows";
import { claimSnapshots } from "@web-tester/records/snapshots/claim-snapshots";
import { runRows } from "@web-tester/worker/run-rows";
import { createWorkApart } from "@web-tester/worker/work-apart";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/**
 * The bus redelivers a message whose worker was frozen for too long. If that worker wakes up first and renews its lease, the
 * second delivery finds nothing to claim, but the rows are not finished: the first worker may still give them back.
 */
let own: OwnDatabase;
let ids: string[];
const leaseMs = 30_000;

beforeAll(async () => {
  own = await startDatabase();
  const rows = await own.db.query<{ id: string }>(
    `WITH object AS (INSERT INTO test_object (name, url) VALUES ('Held', 'http://held.test/') RETURNING id),
          page AS (INSERT INTO test_instance (test_object_id, url, name) SELECT id, 'http://held.test/' || n, 'x' FROM object, generate_series(1, 2) n RETURNING id)
     INSERT INTO test_snapshot (test_instance_id, number, state, queued_at) SELECT id, 1, 'queued', now() FROM page RETURNING id`,
  );
  ids = rows.map(({ id }) => id);
});
afterAll(() => own.stop());

/** Delivers the message to a worker. @returns its outcome, and the rows that it worked on */
async function deliver() {
  const worked: string[] = [];
  const outcome = await runRows<{ id: string; fence: number }>({
    ...{ db: own.db, table: "test_snapshot", ids, signal: new AbortController().signal, apart: createWorkApart() },
    delivery: { ackWaitMs: 60_000, working: () => undefined } as unknown as Delivery,
    claim: (ms, alone) => claimSnapshots(own.db, ids, ms, alone),
    work: async ({ id }) => {
      worked.push(id);
      await own.db.query("UPDATE test_snapshot SET state = 'done', lease_until = NULL WHERE id = $1", [id]);
      return { kind: "settled" };
    },
  });
  return { outcome, worked: worked.toSorted() };
}

test("a message whose rows another worker holds is not done before they are", async () => {
  const held = await claimSnapshots(own.db, ids, leaseMs, false);
  expect(held).toHaveLength(2);
  const second = await deliver();
  expect(second).toEqual({ outcome: { done: false, retryInMs: expect.any(Number) }, worked: [] });
  // the message is redelivered when the lease may have run out, not before
  const { retryInMs } = second.outcome as { retryInMs: number };
  expect([retryInMs > leaseMs / 2, retryInMs <= leaseMs]).toEqual([true, true]);
  await releaseRows(own.db, "test_snapshot", held.slice(0, 1), true);
  expect(await deliver()).toMatchObject({ outcome: { done: false }, worked: [held[0]?.id] });
  await releaseRows(own.db, "test_snapshot", held.slice(1), true);
  expect(await deliver()).toEqual({ outcome: { done: true }, worked: [held[1]?.id] });
  expect(await deliver()).toEqual({ outcome: { done: true }, worked: [] });
});
