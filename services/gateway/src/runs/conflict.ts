import { AppError } from "@web-tester/contracts/errors";
import type { RunKind } from "@web-tester/contracts/entities";

/** A run that is going on. */
export interface RunningRun {
  kind: RunKind;
  completed: number;
  total: number;
}

const deletions: ReadonlySet<RunKind> = new Set<RunKind>(["delete-instances", "delete-snapshots", "delete-object"]);

/** What a run does, as the subject of a sentence. */
export const runWords: Readonly<Record<RunKind, string>> = {
  crawl: "Crawling the site",
  sitemaps: "Reading the sitemaps",
  "snapshot-all": "Fetching all snapshots",
  "snapshot-one": "Fetching a snapshot",
  "delete-instances": "Deleting all instances",
  "delete-snapshots": "Deleting all snapshots",
  "delete-object": "Deleting the test object",
};

export function isDeletion(kind: RunKind): boolean {
  return deletions.has(kind);
}

/**
 * Whether a run may start beside those that are going on: nothing starts while a deletion runs, and each kind but a
 * single snapshot runs once at a time. Deleting the object goes before everything.
 * @returns the reason why not, or null
 */
export function conflictOf(kind: RunKind, running: readonly RunningRun[]): AppError | null {
  if (kind === "delete-object") return null;
  const other = running.find((run) => isDeletion(run.kind) || (run.kind === kind && kind !== "snapshot-one"));
  if (other === undefined) return null;
  const next = isDeletion(other.kind)
    ? "Wait until it is finished and try again."
    : "Wait until it is finished, or stop it first.";
  return new AppError(
    "conflict",
    `${runWords[other.kind]} is still running (${other.completed} of ${other.total} done). ${next}`,
  );
}
