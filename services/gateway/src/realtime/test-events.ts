import type { ProductEvent } from "@web-tester/contracts/socket";

/** Events for tests; an id contains the number that it was made with. */
const numbered = (kind: string, n: number) => `0199f3a0-000${kind}-7000-8000-${String(n).padStart(12, "0")}`;
export const objectId = (n = 1) => numbered("0", n);
export const runId = (n = 1) => numbered("1", n);
export const snapshotId = (n: number) => numbered("3", n);

export const progressOf = (run: number, completed: number, running = true, object = 1): ProductEvent => ({
  type: "fetch:progress",
  testobjectId: objectId(object),
  runId: runId(run),
  total: 1_000_000,
  completed,
  failed: 0,
  changed: 0,
  running,
});

export const changesOf = (snapshots: readonly number[], linesAdded: number, object = 1): ProductEvent => ({
  type: "snapshot:changed",
  testobjectId: objectId(object),
  changes: snapshots.map((n) => ({
    testinstanceId: numbered("2", n),
    snapshotId: snapshotId(n),
    kind: "changed",
    linesAdded,
    linesRemoved: 0,
    filesChanged: 0,
    factsChanged: [],
  })),
});

export const failed = (n: number, object = 1): ProductEvent => ({
  type: "fetch:error",
  testobjectId: objectId(object),
  testinstanceId: numbered("2", n),
  snapshotId: snapshotId(n),
  url: `http://a.test/${n}`,
  message: "no answer",
});
