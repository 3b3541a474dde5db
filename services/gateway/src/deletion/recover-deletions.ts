import { lostRows } from "@web-tester/platform/work/lost-rows";
import type { Recoverable } from "@web-tester/platform/work/reconcile";

/** Deletions that lost their message. They have no lease: the run's lock keeps two workers apart. */
export const recoverDeletions: Recoverable<"delete"> = {
  name: "delete",
  requeueExpired: async () => 0,
  // a message names one run, so no more than this many are found at once: so few rows never share a message
  ...lostRows({ table: "run", key: "id", waiting: "state = 'running' AND kind LIKE 'delete-%'", atOnce: 2 }),
  body: ([runId]) => {
    if (runId === undefined) throw new Error("a message of no run");
    return { runId };
  },
};
