import { AppError } from "@web-tester/contracts/errors";
import type { RunConflict } from "@web-tester/contracts/entities/run";
import type { RunKind } from "@web-tester/contracts/entities/vocabulary";

/** A run that is going on, as messages about conflicts describe it. */
export interface RunningRun {
  id: string;
  kind: RunKind;
  startedAt: Date;
  completed: number;
  total: number;
}

/** Kinds of which several runs may go on at the same time. */
const together: ReadonlySet<RunKind> = new Set<RunKind>(["snapshot-one", "compare"]);
const deletions: ReadonlySet<RunKind> = new Set<RunKind>(["delete-instances", "delete-snapshots", "delete-object"]);

/** What a run of each kind does, as the subject of a sentence. */
export const runWords: Readonly<Record<RunKind, string>> = {
  crawl: "Crawling the site",
  sitemaps: "Reading the sitemaps",
  "snapshot-all": "Fetching all snapshots",
  "snapshot-one": "Fetching a snapshot",
  "delete-instances": "Deleting all instances",
  "delete-snapshots": "Deleting all snapshots",
  "delete-object": "Deleting the test object",
  rules: "Evaluating the rules",
  noise: "Finding noise",
  look: "Looking at pages again",
  compare: "Comparing the pages",
};

export function isDeletion(kind: RunKind): boolean {
  return deletions.has(kind);
}

/**
 * Decides whether a run may start while others are going on: nothing starts while a deletion runs, and each kind but single snapshots
 * and comparisons runs only once at a time. Deleting the object takes precedence over everything.
 * @returns the reason why not, naming the other run in words and in its details; null where nothing is in the way
 */
export function conflictOf(kind: RunKind, running: readonly RunningRun[]): AppError | null {
  if (kind === "delete-object") return null;
  const other = running.find((run) => isDeletion(run.kind) || (run.kind === kind && !together.has(kind)));
  if (other === undefined) return null;
  const startedAt = other.startedAt.toISOString();
  const details: RunConflict = {
    runId: other.id,
    kind: other.kind,
    startedAt,
    completed: other.completed,
    total: other.total,
  };
  const next = isDeletion(other.kind)
    ? "Wait until it is finished and try again."
    : "Wait until it is finished, or stop it first.";
  return new AppError(
    "conflict",
    `${runWords[other.kind]} has been running since ${minuteOf(startedAt)} (run ${other.id}, ${other.completed} of ${other.total} done). ${next}`,
    { details },
  );
}

/** Shortens `2026-11-21T10:12:03.000Z` to `2026-11-21 10:12 UTC`. */
function minuteOf(timestamp: string): string {
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 16)} UTC`;
}
