import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Queryable } from "@web-tester/platform/database/database";
import { claimDelivery } from "@web-tester/records/deliveries/claim-delivery";
import { endTry, queueDelivery } from "@web-tester/records/deliveries/deliveries";
import { selectFailing } from "@web-tester/records/deliveries/failing-channels";
import { type OwnDatabase, startDatabase } from "../support/database.js";
import { exampleSection } from "../support/sending.js";
import { lookingOnly, rowsLookedAt } from "../support/query-plan.js";

/** Reading about channels costs the same however many messages they have had. */
const [channels, messages] = [40, 500];
let own: OwnDatabase;

beforeAll(async () => {
  own = await startDatabase();
  await own.db.query(
    `INSERT INTO channel (kind, name, settings, sealed) SELECT 'webhook', 'Hook ' || n, '{}', '' FROM generate_series(1, $1::int) n`,
    [channels],
  );
  await own.db.query(
    `INSERT INTO delivery (channel_id, state, sections, sentence, attempts, status, first_at, sent_at)
     SELECT c.id, 'sent', '[]', '', 1, 200, t.at, t.at
     FROM channel c, generate_series(1, $1::int) n, LATERAL (SELECT now() - n * interval '1 hour' AS at) t`,
    [messages],
  );
});
afterAll(() => own.stop());

/** Lets the last messages of a channel fail, each an hour after the one before it. */
const fail = (name: string, count: number, state: string) =>
  own.db.query(
    `INSERT INTO delivery (channel_id, state, sections, sentence, attempts, status, answer, first_at)
     SELECT c.id, $3, '[]', '', 2, 500 + n, 'no', now() + n * interval '1 hour'
     FROM channel c, generate_series(1, $2::int) n WHERE c.name = $1`,
    [name, count, state],
  );

test("which channels fail is found without reading all messages, sent or given up", async () => {
  await fail("Hook 7", 90, "dead");
  await fail("Hook 8", 1, "queued");
  await own.db.query("ANALYZE");
  const failing = await selectFailing(own.db, null);
  expect(new Set([...failing.values()].map(({ status }) => status))).toEqual(new Set([501, 590]));
  const [seventh] = await own.db.query<{ id: string; since: Date }>(
    "SELECT channel_id AS id, min(first_at) AS since FROM delivery WHERE status > 500 GROUP BY 1 HAVING count(*) > 1",
  );
  expect(failing.get(seventh?.id ?? "")).toEqual({ since: seventh?.since, status: 590, answer: "no" });
  const one = await selectFailing(own.db, seventh?.id ?? "");
  expect([...one]).toEqual([[seventh?.id, failing.get(seventh?.id ?? "")]]);

  const looked = (ask: Parameters<typeof rowsLookedAt>[2]) => rowsLookedAt(own.db, "delivery", ask);
  expect(await looked((on) => selectFailing(on, null))).toBeLessThan(channels * 4);
  expect(await looked((on) => selectFailing(on, seventh?.id ?? ""))).toBeLessThan(10);
  // the control: the measure does see a query that reads every message
  expect(await looked((on) => on.query("SELECT max(sent_at), count(state) FROM delivery"))).toBeGreaterThan(
    channels * messages,
  );
});

test("what was told of a run is found without reading messages from before its end", async () => {
  const claim = (on: Queryable) => {
    // the transaction is the test's own, so that its statements can be looked at
    const db = { ...own.db, transaction: <Result>(work: (tx: Queryable) => Promise<Result>) => work(on) };
    return claimDelivery(db, { leaseMs: 60_000, busy: [], leftToTell: (sections) => [...sections], listed: () => "" });
  };
  const ended = new Date(Date.now() - 90 * 60_000).toISOString();
  await own.db.query(
    `INSERT INTO delivery (channel_id, state, sections, sentence, next_at)
     SELECT id, 'queued', $1::jsonb, '', now() FROM channel WHERE name = 'Hook 9'`,
    [
      JSON.stringify([
        { ...exampleSection(1), run: { id: randomUUID(), link: "", kind: "crawl", finished_at: ended } },
      ]),
    ],
  );
  await own.db.query("ANALYZE");
  const looked = await own.db.transaction((tx) => rowsLookedAt(lookingOnly(tx), "delivery", claim));
  expect(looked).toBeGreaterThan(0);
  expect(looked).toBeLessThan(60);
});

test("the oldest waiting message of a channel is found without reading those that were sent", async () => {
  const [channel] = await own.db.query<{ id: string }>("SELECT id FROM channel WHERE name = 'Hook 11'");
  const channelId = channel?.id ?? "";
  const queue = (on: Queryable) =>
    queueDelivery(on, {
      ...{ channelId, routeId: null, cadence: "at-once" as const, sentence: "", gatherUntil: null },
      section: exampleSection(1),
    });
  const held = `INSERT INTO delivery (channel_id, state, sections, sentence, next_at)
    VALUES ($1, 'sending', '[]', '', now()) RETURNING id, fence`;
  const [sending] = await own.db.query<{ id: string; fence: number }>(held, [channelId]);
  const retried = { arrived: false, status: 500, answer: "no", nextAt: new Date(), remaining: null, refused: [] };
  const dates = { firstAt: new Date(), createdAt: new Date() };
  const delivery = { ...dates, channelId, sections: [], attempts: 1, remaining: null, refused: [] };
  const end = (on: Queryable) =>
    endTry(on, { ...delivery, id: sending?.id ?? "", fence: sending?.fence ?? 0 }, retried);
  // a receiver that is away lets the planner expect a waiting message everywhere
  await own.db.query(
    `INSERT INTO delivery (channel_id, state, sections, sentence, next_at)
     SELECT c.id, 'queued', '[]', '', now() FROM channel c, generate_series(1, $1::int) WHERE c.name = 'Hook 12'`,
    [channels * messages],
  );
  await own.db.query("ANALYZE");
  for (const ask of [queue, end]) {
    const looked = await own.db.transaction((tx) => rowsLookedAt(lookingOnly(tx), "delivery", ask));
    expect(looked).toBeGreaterThan(0);
    expect(looked).toBeLessThan(20);
  }
});
