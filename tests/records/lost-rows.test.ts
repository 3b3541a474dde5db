import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import type { Bus } from "@web-tester/platform/bus/bus";
import { openBus } from "@web-tester/platform/bus/open-bus";
import type { Database } from "@web-tester/platform/database/database";
import { reconcileOnce } from "@web-tester/worker/reconcile";
import { recoverSnapshots } from "@web-tester/records/snapshots/recover-snapshots";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { until } from "../support/until.js";

/** A queued row without a message is found however busy its consumer is, and a row that has a message is not published again. */
let own: OwnDatabase;
let db: Database;
let bus: Bus;
let objectId: string;
const everyMs = 15_000;
const partition = 7;
const address = { lane: "bulk", partition };

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
  bus = await openBus(own.natsUrl, { name: "test", hostConcurrency: 2, onError: () => undefined });
});
afterAll(async () => {
  await bus.close();
  await own.stop();
});
beforeEach(async () => {
  await db.query("DELETE FROM test_object");
  const [row] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ('Lost', 'http://lost.test/') RETURNING id",
  );
  objectId = row?.id ?? "";
});

/** Inserts queued snapshots. @param ageS for how many seconds they have been queued */
async function queue(count: number, ageS: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `WITH page AS (
       INSERT INTO test_instance (test_object_id, url, name) SELECT $1, 'http://lost.test/' || uuidv7(), 'x' FROM generate_series(1, $2::int) RETURNING id
     )
     INSERT INTO test_snapshot (test_instance_id, number, state, partition, queued_at)
     SELECT id, 1, 'queued', $4, now() - $3::int * interval '1 s' FROM page RETURNING id`,
    [objectId, count, ageS, partition],
  );
  return rows.map(({ id }) => id);
}

let generation = 0;
const publish = (ids: readonly string[]) =>
  bus.publish(
    ids.map((id) => ({
      name: "fetch" as const,
      ...address,
      body: { snapshotIds: [id], host: "lost.test" },
      dedupeId: `${id}:test-${++generation}`,
    })),
  );

async function publishedAgain(): Promise<{ count: number; ids: string[] }> {
  const count = await reconcileOnce(recoverSnapshots, {
    db,
    bus,
    hostConcurrency: 2,
    everyMs,
    onRecovered: () => undefined,
  });
  const rows = await db.query<{ id: string }>("SELECT id FROM test_snapshot WHERE generation > 0 ORDER BY id");
  return { count, ids: rows.map(({ id }) => id) };
}

test("a lost row is published again although its consumer is never idle, and those with a message are not", async () => {
  // four messages: two are worked on until the end, two wait; the rows of the first two are as old as the lost one
  const inHand = await queue(2, 900);
  await publish(inHand);
  const ended = Promise.withResolvers<void>();
  const taken = new Set<string>();
  const stop = await bus.consume({
    name: "fetch",
    concurrency: 8,
    async handle({ snapshotIds }) {
      for (const id of snapshotIds) taken.add(id);
      await ended.promise;
      return { done: true };
    },
  });
  try {
    await until("two messages in hand", () => taken.size === 2);
    const waiting = await queue(2, 5);
    await publish(waiting);
    const lost = await queue(1, 900);
    expect(await bus.load("fetch", address)).toEqual({ pending: 2, inFlight: 2 });
    expect(await publishedAgain()).toEqual({ count: 1, ids: lost });
    // it is published again only once, however often the check runs
    expect((await publishedAgain()).count).toBe(0);
    expect(await bus.load("fetch", address)).toEqual({ pending: 3, inFlight: 2 });
  } finally {
    ended.resolve();
    await until("nothing pending", async () => (await bus.load("fetch", address)).pending === 0);
    await stop();
  }
});

test("rows of a long queue wait for their messages, however long that is, and so does what is not older than those", async () => {
  // nothing takes messages, as when a host is slow or fetchers are down
  const long = await queue(300, 20);
  await publish(long);
  await queue(1, 20);
  expect((await publishedAgain()).count).toBe(0);
  // rows that waited for hours before their messages could be sent are published a second time, but not a third: here three of them
  await db.query("UPDATE test_snapshot SET queued_at = now() - interval '2 hours' WHERE id = ANY($1)", [
    long.slice(0, 3),
  ]);
  expect((await publishedAgain()).count).toBe(3);
  expect((await publishedAgain()).count).toBe(0);
});
