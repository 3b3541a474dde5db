import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Bus, Delivery } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { insertRule } from "@web-tester/records/rules/ignore-rules";
import { createRecordChanges } from "../../services/differ/src/handlers/record-changes.js";
import type { AskedPair, Comparer } from "../../services/differ/src/steps/comparer.js";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** A rule that is made while a page is compared holds for that page too. */
let own: OwnDatabase;
let db: Database;
const bus = { publishEvent: () => undefined, publish: async () => undefined } as unknown as Bus;

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
});
afterAll(() => own.stop());

/** A changed snapshot of a new object, not compared yet. */
async function changedSnapshot(): Promise<{ objectId: string; snapshotId: string }> {
  const one = async (sql: string, values: unknown[]) => (await db.query<{ id: string }>(sql, values))[0]?.id ?? "";
  const objectId = await one("INSERT INTO test_object (name, url) VALUES ('x', 'http://race.test/') RETURNING id", []);
  const instanceId = await one(
    "INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, 'http://race.test/a', 'x') RETURNING id",
    [objectId],
  );
  let snapshotId = "";
  for (const number of [1, 2]) {
    const hash = createHash("sha256").update(`race ${number}`).digest();
    await db.query("INSERT INTO content (hash, size, stored_size, stored) VALUES ($1, 1, 1, true)", [hash]);
    snapshotId = await one(
      `INSERT INTO test_snapshot (test_instance_id, number, state, fetched_at, content_hash, charset)
       VALUES ($1, $2, 'done', now(), $3, 'utf-8') RETURNING id`,
      [instanceId, number, hash],
    );
  }
  await db.query("INSERT INTO change (snapshot_id) VALUES ($1)", [snapshotId]);
  return { objectId, snapshotId };
}

test("it is looked at again with that rule", async () => {
  const { objectId, snapshotId } = await changedSnapshot();
  const asked: number[] = [];
  const spec = {
    ...{ kind: "element" as const, selector: "p", name: null, parameter: null, pattern: null },
    ...{ syntax: "literal" as const, before: null, after: null },
  };
  const comparer = {
    async count(pairs: readonly AskedPair[]) {
      asked.push(pairs[0]?.rules.length ?? 0);
      if (asked.length === 1)
        await insertRule(db, {
          ...{ objectId, spec, path: "*", note: "", enabled: true },
          ...{ state: "active", author: "test", evidence: null },
        });
      return pairs.map(({ rules }) => ({
        ...{ added: 1, removed: 1, coarse: false, heads: null },
        signal: {
          significant: rules.length === 0,
          changes: rules.length === 0 ? 1 : 0,
          ignored: rules.length,
          hunks: [],
        },
      }));
    },
  } as unknown as Comparer;
  const handle = createRecordChanges({
    ...{ db, bus, comparer },
    onRecorded: () => undefined,
    onGivenUp: (_id, error) => {
      throw error;
    },
  });
  const delivery = { deliveries: 1, ackWaitMs: 10_000, working: () => undefined } as unknown as Delivery;
  expect(await handle({ snapshotIds: [snapshotId] }, delivery)).toEqual({ done: true });
  expect(asked.slice(0, 2)).toEqual([0, 1]);
  expect(
    await db.query("SELECT kind, significant, changes, ignored FROM change WHERE snapshot_id = $1", [snapshotId]),
  ).toEqual([{ kind: "changed", significant: false, changes: 0, ignored: 1 }]);
});
