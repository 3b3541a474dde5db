import type { TestSnapshotSummary } from "@web-tester/contracts/entities/snapshot";

export interface Column {
  readonly id: string;
  readonly number: number;
  readonly createdAt: string;
  readonly added: number;
  readonly removed: number;
  readonly failed: boolean;
  /** Whether its number is written below it. */
  readonly isNumbered: boolean;
  /** Heights in px. */
  readonly up: number;
  readonly down: number;
}

type Drawn = Pick<TestSnapshotSummary, "id" | "number" | "created_at" | "lines_added" | "lines_removed" | "state">;

/** From more digits on, a number is wider than its column and would touch the next one. */
const digitsBesideOthers = 2;

/**
 * Computes the columns of the newest `count` snapshots, oldest first: bars up for added and down for removed lines, at least 2 px tall
 * unless there are none.
 */
export function chartOf(snapshots: readonly Drawn[], count: number, maxUp: number, maxDown: number): Column[] {
  const shown = snapshots.slice(0, count).toReversed();
  const largest = Math.max(1, ...shown.map((snapshot) => Math.max(snapshot.lines_added, snapshot.lines_removed)));
  const height = (lines: number, max: number) =>
    lines === 0 ? 0 : Math.max(2, Math.round((lines / largest) ** 0.7 * max));
  const newest = shown.at(-1)?.number ?? 0;
  const everyNth = String(newest).length > digitsBesideOthers ? 2 : 1;
  return shown.map((snapshot, index) => ({
    id: snapshot.id,
    number: snapshot.number,
    createdAt: snapshot.created_at,
    added: snapshot.lines_added,
    removed: snapshot.lines_removed,
    failed: snapshot.state === "failed",
    isNumbered: (shown.length - 1 - index) % everyNth === 0,
    up: height(snapshot.lines_added, maxUp),
    down: height(snapshot.lines_removed, maxDown),
  }));
}
