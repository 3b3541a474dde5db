import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Bus, Delivery } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { insertRule } from "@web-tester/records/rules/ignore-rules";
import { startEvaluation } from "@web-tester/records/runs/evaluation-run";
import { createEvaluateRules } from "../../services/differ/src/handlers/evaluate-rules.js";
import { createRecordChanges } from "../../services/differ/src/handlers/record-changes.js";
import type { AskedPair, Comparer } from "../../services/differ/src/steps/comparer.js";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** A rule that is made while pages are compared holds for these pages too. */
let own: OwnDatabase;
let db: Database;
const bus = { publishEvent: () => undefined, publish: async () => undefined } as unknown as Bus;

beforeAll(async () => {
  own = await startDatabase();
  db = own.db;
});
afterAll(() => own.stop());

/** Inserts a changed snapshot of a new object, not compared yet. */
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
    await db.query(
      "INSERT INTO content (hash, size, stored_size, stored) VALUES ($1, 1, 1, true) ON CONFLICT DO NOTHING",
      [hash],
    );
    snapshotId = await one(
      `INSERT INTO test_snapshot (test_instance_id, number, state, fetched_at, content_hash, charset)
       VALUES ($1, $2, 'done', now(), $3, 'utf-8') RETURNING id`,
      [instanceId, number, hash],
    );
  }
  await db.query("INSERT INTO change (snapshot_id) VALUES ($1)", [snapshotId]);
  return { objectId, snapshotId };
}

async function makeRule(objectId: string): Promise<void> {
  const spec = {
    ...{ kind: "element" as const, selector: "p", name: null, parameter: null, pattern: null },
    ...{ syntax: "literal" as const, before: null, after: null },
  };
  await insertRule(db, {
    ...{ objectId, spec, path: "*", note: "", enabled: true },
    ...{ state: "active", author: "test", evidence: null },
  });
}

/** Makes a comparer that finds nothing significant once there is a rule, and runs `act` during its first comparison. @returns asked: the rules of each call, counted */
function comparerBeside(act: () => Promise<void>): { asked: number[]; comparer: Comparer } {
  const asked: number[] = [];
  const count = async (pairs: readonly AskedPair[]) => {
    if (pairs.length === 0) return [];
    asked.push(pairs[0]?.rules.length ?? 0);
    if (asked.length === 1) await act();
    return pairs.map(({ rules }) => ({
      ...{ added: 1, removed: 1, coarse: false, heads: null },
      signal: {
        significant: rules.length === 0,
        changes: rules.length === 0 ? 1 : 0,
        ignored: rules.length,
        hunks: [],
        head: { inHunks: [], ignored: [] },
      },
    }));
  };
  return { asked, comparer: { count } as unknown as Comparer };
}

test("it is looked at again with that rule", async () => {
  const { objectId, snapshotId } = await changedSnapshot();
  const { asked, comparer } = comparerBeside(() => makeRule(objectId));
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

test("a history that is being looked at is looked at once more", async () => {
  const { objectId, snapshotId } = await changedSnapshot();
  await db.query(
    `UPDATE change c SET state = 'done', kind = 'changed', significant = true, changes = 1, ignored = 0, previous_id = p.id, test_object_id = $2
     FROM test_snapshot s JOIN test_snapshot p ON p.test_instance_id = s.test_instance_id AND p.number = 1 WHERE c.snapshot_id = $1 AND s.id = $1`,
    [snapshotId, objectId],
  );
  await db.query("UPDATE test_instance SET snapshots_total = 2 WHERE test_object_id = $1", [objectId]);
  const { asked, comparer } = comparerBeside(async () => {
    await makeRule(objectId);
    await startEvaluation(db, objectId);
  });
  const [run] = await startEvaluation(db, objectId);
  const handle = createEvaluateRules({
    ...{ db, comparer, bus: { ...bus, logLine: () => undefined } },
    signal: new AbortController().signal,
    onGivenUp: (_id, error) => {
      throw error;
    },
  });
  const delivery = { ackWaitMs: 10_000, working: () => undefined };
  expect(await handle({ runId: run?.id ?? "" }, delivery)).toEqual({ done: true });
  expect(asked).toEqual([0, 1]);
  expect(
    await db.query(
      "SELECT c.significant, r.state, r.completed FROM change c, run r WHERE c.snapshot_id = $1 AND r.id = $2",
      [snapshotId, run?.id],
    ),
  ).toEqual([{ significant: false, state: "finished", completed: 1 }]);
});
