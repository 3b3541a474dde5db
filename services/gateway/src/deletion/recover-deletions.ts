import type { ProductEvent } from "@web-tester/contracts/socket";
import type { Database } from "@web-tester/platform/database/database";
import { deleteBatch, fromStart } from "@web-tester/records/instances/delete-all";
import type { Recoverable } from "@web-tester/records/leases/lost-rows";
import { idleDeletions, lostDeletions } from "@web-tester/records/runs/deletion-run";
import { deletionEvent } from "./deletion-event.js";

/** Finds deletions that lost their message, and ends those that have nothing left to delete. */
export const recoverDeletions: Recoverable<"delete"> = { ...lostDeletions, endIdle };

/** Ends idle deletions in the same way as their handler does; two gateways at once run one after the other. */
async function endIdle(db: Database): Promise<ProductEvent[]> {
  const events: ProductEvent[] = [];
  for (const id of await idleDeletions(db)) {
    let outcome = await deleteBatch(db, id, fromStart);
    while (!outcome.over) outcome = await deleteBatch(db, id, outcome.cursor);
    if (outcome.run !== null) events.push(deletionEvent(outcome.run));
  }
  return events;
}
