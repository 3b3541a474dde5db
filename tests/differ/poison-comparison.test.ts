import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { AppError } from "@web-tester/contracts/errors";
import { ContentLost } from "@web-tester/platform/object-store/object-store";
import { compareFound } from "@web-tester/records/changes/queue-changes";
import type { Bus, Delivery } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { createRecordChanges } from "../../services/differ/src/handlers/record-changes.js";
import { type Comparer, ComparisonStopped, type AskedPair } from "../../services/differ/src/steps/comparer.js";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** One comparison that fails, is stopped or crashes its process must not block the others of its message forever. */
let own: OwnDatabase;
let db: Database;
const pages = 6;
const bus = { publishEvent: () => undefined, publish: async () => undefined } as unknown as Bus;
const hashOf = (name: string) => createHash("sha256").update(name).digest();

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
});
afterAll(() => own.stop());

/** Creates pages, each with two finished snapshots of which the newer is to be compared. @returns the newer ones' IDs; the third's content is `poison` */
async function queueChanges(name: string): Promise<string[]> {
  const [object] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ($1, 'http://poison.test/') RETURNING id",
    [name],
  );
  const ids: string[] = [];
  for (let page = 0; page < pages; page += 1) {
    const [instance] = await db.query<{ id: string }>(
      "INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, 'x') RETURNING id",
      [object?.id, `http://poison.test/${name}/${page}`],
    );
    for (const number of [1, 2]) {
      const hash = hashOf(page === 2 && number === 2 ? "poison" : `${name} ${page} ${number}`);
      await db.query(
        "INSERT INTO content (hash, size, stored_size, stored) VALUES ($1, 1, 1, true) ON CONFLICT DO NOTHING",
        [hash],
      );
      const [snapshot] = await db.query<{ id: string }>(
        `INSERT INTO test_snapshot (test_instance_id, number, state, fetched_at, content_hash, charset)
         VALUES ($1, $2, 'done', now(), $3, 'utf-8') RETURNING id`,
        [instance?.id, number, hash],
      );
      if (number === 2) ids.push(snapshot?.id ?? "");
    }
  }
  await db.query("INSERT INTO change (snapshot_id) SELECT unnest($1::uuid[])", [ids]);
  return ids;
}

const isPoison = ({ sides: [, newer] }: AskedPair) => newer.sha256 === hashOf("poison").toString("hex");

/** Delivers a message until it is done, at most 20 times. @returns how often, and which snapshots were given up */
async function deliver(ids: string[], fail: (pairs: readonly AskedPair[]) => Promise<never>) {
  const givenUp: string[] = [];
  const comparer = {
    count: async (pairs: readonly AskedPair[]) =>
      pairs.some(isPoison)
        ? fail(pairs)
        : pairs.map(() => ({
            ...{ added: 3, removed: 2, coarse: false, heads: null },
            signal: { significant: true, changes: 1, ignored: 0, hunks: [] },
          })),
  } as unknown as Comparer;
  const handle = createRecordChanges({
    db,
    bus,
    comparer,
    onRecorded: () => undefined,
    onGivenUp: (id) => void givenUp.push(id),
  });
  for (let deliveries = 1; deliveries <= 20; deliveries += 1) {
    const delivery = { deliveries, ackWaitMs: 10_000, working: () => undefined } as unknown as Delivery;
    // a message whose handler throws is delivered again, as if its process had died
    const outcome = await handle({ snapshotIds: ids }, delivery).catch(() => ({ done: false as const, retryInMs: 0 }));
    if (outcome.done) return { deliveries, givenUp };
  }
  return { deliveries: Infinity, givenUp };
}

const recorded = (ids: string[]) =>
  db.query(
    "SELECT state, kind, lines_added, lines_removed, coarse FROM change WHERE snapshot_id = ANY($1) ORDER BY snapshot_id",
    [ids],
  );
const counted = { state: "done", kind: "changed", lines_added: 3, lines_removed: 2, coarse: false };
const uncounted = { state: "done", kind: "changed", lines_added: 0, lines_removed: 0, coarse: true };

test.each([
  ["is stopped for time or memory", () => Promise.reject(new ComparisonStopped("Try again.", new Error("heap")))],
  ["is of a document that is lost", () => Promise.reject(new AppError("not_found", "The bytes are gone."))],
  ["ends its process", () => Promise.reject(new Error("killed"))],
])("a comparison that %s is recorded without counts, and takes no other with it", async (name, fail) => {
  const ids = await queueChanges(name);
  const { deliveries, givenUp } = await deliver(ids, fail);
  expect(deliveries).toBeLessThan(10);
  expect(givenUp).toEqual([ids[2]]);
  expect(await recorded(ids)).toEqual(ids.map((_, index) => (index === 2 ? uncounted : counted)));
});

test("a store that does not answer is no fault of a comparison: it is tried for as long as it takes", async () => {
  const ids = await queueChanges("store");
  const away = () => Promise.reject(new AppError("unavailable", "The store does not answer."));
  expect(await deliver(ids, away)).toEqual({ deliveries: Infinity, givenUp: [] });
  expect(await db.query("SELECT attempts FROM change WHERE snapshot_id = $1", [ids[2]])).toEqual([{ attempts: 0 }]);
});

test("a comparison of a content that was lost is made once the content is there again; one that took too long is not", async () => {
  const lost = await queueChanges("lost");
  await deliver(lost, () => Promise.reject(new ContentLost("content_damaged", hashOf("poison"))));
  const slow = await queueChanges("slow");
  await deliver(slow, () => Promise.reject(new ComparisonStopped("Try again.", new Error("heap"))));
  const waiting = async () => {
    const rows = await db.query<{ id: string }>(
      "SELECT snapshot_id AS id FROM change WHERE state = 'queued' AND snapshot_id = ANY($1)",
      [[...lost, ...slow]],
    );
    return rows.map(({ id }) => id);
  };
  const setStored = (stored: boolean) =>
    db.query("UPDATE content SET stored = $2 WHERE hash = $1", [hashOf("poison"), stored]);

  await setStored(false);
  await compareFound(db);
  expect(await waiting()).toEqual([]);
  await setStored(true);
  await compareFound(db);
  expect(await waiting()).toEqual([lost[2]]);

  const { givenUp } = await deliver(await waiting(), () =>
    Promise.reject(new ContentLost("content_missing", hashOf("poison"))),
  );
  expect(givenUp).toEqual([lost[2]]);
  await compareFound(db);
  const counts = { added: 3, removed: 2, coarse: false, heads: null };
  const signal = { significant: true, changes: 1, ignored: 0, hunks: [] };
  await deliver(await waiting(), (async (pairs: readonly AskedPair[]) =>
    pairs.map(() => ({ ...counts, signal }))) as unknown as () => Promise<never>);
  expect(await recorded(lost)).toEqual(lost.map(() => counted));
  await compareFound(db);
  expect(await waiting()).toEqual([]);
});
