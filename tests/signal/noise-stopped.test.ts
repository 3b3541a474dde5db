import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Bus, Delivery } from "@web-tester/platform/bus/bus";
import { keepNoiseChoice } from "@web-tester/records/runs/noise-run";
import { createFindNoise } from "../../services/differ/src/handlers/find-noise.js";
import { type Comparer, ComparisonStopped } from "../../services/differ/src/steps/comparer.js";
import { type OwnDatabase, startDatabase } from "../support/database.js";

/** A search for noise ends even if learning from some pages takes too long: beginning it again would never end it. */
let own: OwnDatabase;
beforeAll(async () => {
  own = await startDatabase();
});
afterAll(() => own.stop());

async function addRun(): Promise<string> {
  const { db } = own;
  const [object] = await db.query<{ id: string }>(
    "INSERT INTO test_object (name, url) VALUES ('x', 'http://noise.test/') RETURNING id",
  );
  for (const page of ["a", "b"]) {
    const [instance] = await db.query<{ id: string }>(
      "INSERT INTO test_instance (test_object_id, url, name) VALUES ($1, $2, 'x') RETURNING id",
      [object?.id, `http://noise.test/${page}`],
    );
    for (const number of [1, 2]) {
      const hash = createHash("sha256").update(`${page} ${number}`).digest();
      await db.query("INSERT INTO content (hash, size, stored_size, stored) VALUES ($1, 1, 1, true)", [hash]);
      await db.query(
        `WITH s AS (INSERT INTO test_snapshot (test_instance_id, number, state, fetched_at, content_hash, charset)
                    VALUES ($1, $2, 'done', now(), $3, 'utf-8') RETURNING id)
         UPDATE test_instance SET last_snapshot_id = (SELECT id FROM s) WHERE id = $1`,
        [instance?.id, number, hash],
      );
    }
  }
  const [run] = await db.query<{ id: string }>(
    "INSERT INTO run (test_object_id, kind, state, total) VALUES ($1, 'noise', 'running', 2) RETURNING id",
    [object?.id],
  );
  await db.transaction((tx) => keepNoiseChoice(tx, run?.id ?? "", { apply: false, fetch: false }));
  return run?.id ?? "";
}

const stopped = () => Promise.reject(new ComparisonStopped("", null));
const delivery = { ackWaitMs: 10_000, working: () => undefined } as unknown as Delivery;

test.each([
  ["learning from the history", { group: () => Promise.resolve([[0, 1]]), learnHistory: stopped }],
  ["telling templates apart", { group: stopped, learnHistory: () => Promise.resolve([]) }],
])("where %s takes too long, the search ends and says what it left out", async (_what, comparer) => {
  const lines: unknown[] = [];
  const bus = {
    publishEvent: () => undefined,
    publish: () => Promise.resolve(),
    logLine: (_run: string, level: string, said: unknown) => void lines.push([level, said]),
  } as unknown as Bus;
  const find = createFindNoise({
    db: own.db,
    bus,
    comparer: comparer as unknown as Comparer,
    signal: new AbortController().signal,
  });
  const runId = await addRun();
  expect(await find({ runId }, delivery)).toEqual({ done: true });
  expect(lines).toContainEqual(["warn", expect.objectContaining({ code: "noise-left-out" })]);
  expect(await own.db.query("SELECT state FROM run WHERE id = $1", [runId])).toEqual([{ state: "finished" }]);
  await own.db.query("DELETE FROM test_object");
  await own.db.query("DELETE FROM content");
});
