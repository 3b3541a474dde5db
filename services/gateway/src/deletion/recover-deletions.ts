import { lostRows } from "@web-tester/records/runs/lost-rows";
import type { ProductEvent } from "@web-tester/contracts/socket";
import type { Database } from "@web-tester/platform/database/database";
import type { Recoverable } from "@web-tester/records/runs/lost-rows";
import { deletionEvent } from "../rows/deletion-event.js";
import { deleteBatch, fromStart } from "@web-tester/records/instances/delete-all";

/** Deletions that lost their message. They have no lease: the run's lock keeps two workers apart. */
export const recoverDeletions: Recoverable<"delete"> = {
  name: "delete",
  requeueExpired: async () => 0,
  // a message names one run, so no more than this many are found at once: so few rows never share a message
  ...lostRows({ table: "run", key: "id", waiting: "state = 'running' AND kind LIKE 'delete-%'", atOnce: 2 }),
  endIdle,
  body: ([runId]) => {
    if (runId === undefined) throw new Error("a message of no run");
    return { runId };
  },
};

const idle = `
  SELECT id FROM run r WHERE state = 'running' AND kind LIKE 'delete-%' AND CASE WHEN kind = 'delete-snapshots'
    THEN NOT EXISTS (SELECT 1 FROM test_instance WHERE test_object_id = r.test_object_id AND snapshots_total > 0)
    ELSE NOT EXISTS (SELECT 1 FROM test_instance WHERE test_object_id = r.test_object_id) END
  ORDER BY id LIMIT 100`;

/** Deletions of which nothing is left to delete end as their handler ends them; two at once follow one another. */
async function endIdle(db: Database): Promise<ProductEvent[]> {
  const events: ProductEvent[] = [];
  for (const { id } of await db.query<{ id: string }>(idle)) {
    let outcome = await deleteBatch(db, id, fromStart);
    while (!outcome.over) outcome = await deleteBatch(db, id, outcome.cursor);
    if (outcome.run !== null) events.push(deletionEvent(outcome.run));
  }
  return events;
}
