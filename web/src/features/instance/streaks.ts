import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";

/** A snapshot and its index in the list. */
export interface Placed {
  readonly snapshot: TestSnapshotSummary;
  readonly index: number;
}

/** Groups consecutive failures of the same kind into one entry, the newest first; every other snapshot is an entry of its own. */
export function streaksOf(snapshots: readonly TestSnapshotSummary[]): Placed[][] {
  const streaks: Placed[][] = [];
  for (const [index, snapshot] of snapshots.entries()) {
    const last = streaks.at(-1);
    const before = last?.[0]?.snapshot;
    if (before !== undefined && isSameFailure(before, snapshot)) last?.push({ snapshot, index });
    else streaks.push([{ snapshot, index }]);
  }
  return streaks;
}

const isSameFailure = (one: TestSnapshotSummary, other: TestSnapshotSummary): boolean =>
  one.state === "failed" &&
  other.state === "failed" &&
  one.http_status === other.http_status &&
  one.error === other.error;
