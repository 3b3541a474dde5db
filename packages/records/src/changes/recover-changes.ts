import { changesPerMessageMax } from "@web-tester/contracts/messages";
import { lostRows } from "../runs/lost-rows.js";
import type { Recoverable } from "../runs/lost-rows.js";

/** Comparisons that lost their message. They have no lease: comparing twice writes once. */
export const recoverChanges: Recoverable<"diff"> = {
  name: "diff",
  requeueExpired: async () => 0,
  ...lostRows({ table: "change", key: "snapshot_id", waiting: "state = 'queued'" }),
  rowsPerMessage: changesPerMessageMax,
  body: (snapshotIds) => ({ snapshotIds }),
};
