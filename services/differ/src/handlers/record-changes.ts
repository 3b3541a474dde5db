import { AppError } from "@web-tester/contracts/errors";
import type { ChangedFile } from "@web-tester/contracts/entities/snapshot";
import { changesPerMessageMax, messages } from "@web-tester/contracts/messages";
import { type Bus, type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { ContentLost } from "@web-tester/platform/object-store/object-store";
import {
  beginAttempt,
  loadPendingChanges,
  type PendingChange,
  recordChanges,
  type RecordedChange,
  takeAttemptBack,
} from "@web-tester/records/changes/record-change";
import { changesOfSnapshots, recordEvaluated } from "@web-tester/records/changes/evaluate-changes";
import { evaluateChanges } from "../steps/evaluate-changes.js";
import { rulesInForce } from "@web-tester/records/rules/ignore-rules";
import { pathOf } from "@web-tester/signal/rules/rule-set";
import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import { changedFacts } from "@web-tester/records/changes/changed-facts";
import { fetchProgress } from "@web-tester/records/runs/run-progress";
import { keepWorking } from "@web-tester/worker/keep-working";
import { chunkRows } from "@web-tester/records/runs/chunk-rows";
import type { PairCount } from "../pure/count-pair.js";
import { compareFiles } from "../steps/compare-files.js";
import { type PairSignal, untoldHead, withBeside } from "../pure/pair-signal.js";
import { type Comparer, ComparisonStopped, type Side } from "../steps/comparer.js";

export interface RecordChangesDeps {
  db: Database;
  bus: Bus;
  comparer: Comparer;
  /** Called when there may be new content to make searchable. @param changes how many were recorded */
  onRecorded(changes: number): void;
  /** Called when a comparison was recorded without its counts. */
  onGivenUp(snapshotId: string, error: unknown): void;
}

/** Deliveries of a message after which its comparisons are made one at a time: one of them may have ended the others. */
const deliveriesTogether = 3;
/** Attempts at one comparison alone. */
const triesAlone = 3;
const againInMs = 1_000;
/** Changed files that are listed per change; all are counted. */
const filesKeptMax = 100;

/**
 * Handler of `diff`: compares finished snapshots with the finished one before each, and records kind and counts. Equal
 * hashes need no comparison. Comparing twice writes once, so no lease is needed.
 */
export function createRecordChanges(
  deps: RecordChangesDeps,
): (body: { snapshotIds: string[] }, delivery: Delivery) => Promise<Outcome> {
  const { db, comparer, onGivenUp } = deps;
  return async ({ snapshotIds }, delivery) => {
    const pending = await loadPendingChanges(db, snapshotIds);
    if (pending.length === 0) return done;
    return keepWorking(delivery, async () => {
      const rules = await rulesInForce(
        db,
        pending.map(({ objectId }) => objectId),
      );
      if (delivery.deliveries <= deliveriesTogether) {
        await record(deps, pending, await compareAll(pending, rules, { db, comparer }));
        await follow(deps, pending, rules);
        return done;
      }
      let areAllDone = true;
      for (const change of pending) {
        const result = await compareAlone(change, rules, { db, comparer, onGivenUp });
        if (result === "later") areAllDone = false;
        else if (result !== null) await record(deps, [change], [result]);
      }
      await follow(deps, pending, rules);
      return areAllDone ? done : { done: false, retryInMs: againInMs };
    });
  };
}

async function record(
  { db, bus, onRecorded }: RecordChangesDeps,
  pending: readonly PendingChange[],
  results: readonly RecordedChange[],
): Promise<void> {
  const { maxInFlight } = messages.diff;
  const recorded = await recordChanges(db, results);
  onRecorded(results.length);
  announce(bus, pending, results, new Set(recorded.moved));
  for (const run of recorded.runs) bus.publishEvent(fetchProgress(run));
  await bus.publish(
    chunkRows(recorded.stale, maxInFlight, changesPerMessageMax).flatMap((chunk) => {
      const [first] = chunk;
      if (first === undefined) return [];
      const body = { snapshotIds: chunk.map((row) => row.id) };
      return [{ name: "diff" as const, body, dedupeId: `${first.id}:${first.generation}` }];
    }),
  );
}

/** Evaluates the changes again where a rule changed while they were compared: the evaluation run saw them as not compared yet. */
async function follow(
  { db, comparer, onGivenUp }: RecordChangesDeps,
  pending: readonly PendingChange[],
  seen: Map<string, AppliedRule[]>,
): Promise<void> {
  const now = await rulesInForce(db, [...new Set(pending.map(({ objectId }) => objectId))]);
  for (const [objectId, changes] of Map.groupBy(pending, (change) => change.objectId)) {
    const rules = now.get(objectId) ?? [];
    if (JSON.stringify(rules) === JSON.stringify(seen.get(objectId) ?? [])) continue;
    const recorded = await changesOfSnapshots(
      db,
      changes.map(({ id }) => id),
    );
    await recordEvaluated(db, await evaluateChanges({ db, comparer, onGivenUp }, recorded, rules));
  }
}

/**
 * Compares all snapshots. Those with something to compare go to the comparer together, as most pages take less time than a
 * message to another thread.
 */
async function compareAll(
  pending: readonly PendingChange[],
  rules: ReadonlyMap<string, AppliedRule[]>,
  { db, comparer }: Pick<RecordChangesDeps, "db" | "comparer">,
): Promise<RecordedChange[]> {
  const rulesOf = ({ objectId }: PendingChange) => rules.get(objectId) ?? noRules;
  const pairs = pending.flatMap((change) =>
    hasChanged(change) ? [{ sides: sidesOf(change), path: pathOf(change.url), rules: rulesOf(change) }] : [],
  );
  const [counts, files] = await Promise.all([comparer.count(pairs), compareFiles(db, pending)]);
  const counted = counts.values();
  return pending.map((change) => {
    const count = hasChanged(change) ? counted.next().value : undefined;
    return resultOf(change, count, files.get(change.id) ?? [], rulesOf(change));
  });
}

const noRules: readonly AppliedRule[] = [];
const nothing: PairSignal = { significant: false, changes: 0, ignored: 0, hunks: [], head: untoldHead };
const unknown: PairCount = { added: 0, removed: 0, coarse: false, heads: null, signal: nothing };

/** Returns the change to record: a page has changed if its content, one of its files, or a fact beside its content has. */
function resultOf(
  change: PendingChange,
  { heads, signal, ...lines }: PairCount = unknown,
  files: readonly ChangedFile[],
  rules: readonly AppliedRule[],
): RecordedChange {
  const { id, objectId, generation, previousId } = change;
  const facts = previousId === null ? [] : changedFacts(change.previousFacts, change.facts, heads);
  const isChanged = hasChanged(change) || files.length > 0 || facts.length > 0;
  return {
    ...{ id, objectId, generation, previousId, ...lines },
    ...withBeside(signal, { path: pathOf(change.url), rules, files, facts, isOtherMode: change.isOtherMode }),
    kind: change.previousHash === null ? "first" : isChanged ? "changed" : "unchanged",
    filesChanged: files.length,
    files: files.length === 0 ? null : files.slice(0, filesKeptMax),
    facts: facts.length === 0 ? null : facts,
  };
}

/**
 * Compares one snapshot alone after it failed with others. An attempt is counted before it begins, as it may end this
 * process; after `triesAlone`, or where a document cannot be read, the page is recorded as changed without counts (its
 * hashes differ), so that no document blocks the others of its message forever; `compareFound` queues the latter again.
 * @returns null where it was recorded meanwhile
 */
async function compareAlone(
  change: PendingChange,
  rules: ReadonlyMap<string, AppliedRule[]>,
  { db, comparer, onGivenUp }: Pick<RecordChangesDeps, "db" | "comparer" | "onGivenUp">,
): Promise<RecordedChange | "later" | null> {
  const giveUp = (error: unknown): RecordedChange => {
    onGivenUp(change.id, error);
    return { ...resultOf(change, { ...unknown, coarse: true }, [], noRules), kind: "changed", significant: true };
  };
  const tries = hasChanged(change) ? await beginAttempt(db, change.id) : 0;
  if (tries === null) return null;
  if (tries > triesAlone) return giveUp(new Error(`the differ ended ${triesAlone} times while it compared these`));
  try {
    const [result = null] = await compareAll([change], rules, { db, comparer });
    return result;
  } catch (error) {
    if (error instanceof ComparisonStopped) return tries < triesAlone ? "later" : giveUp(error);
    // without an attempt, a comparison that was given up is made once its contents are there again
    if (error instanceof ContentLost || (error instanceof AppError && error.retryable))
      await takeAttemptBack(db, change.id);
    if (error instanceof AppError && !error.retryable) return giveUp(error);
    throw error;
  }
}

type Compared = PendingChange & { previousHash: string };

function hasChanged(change: PendingChange): change is Compared {
  return change.previousHash !== null && change.previousHash !== change.hash;
}

function sidesOf(change: Compared): [Side, Side] {
  return [
    { sha256: change.previousHash, charset: change.previousCharset ?? "utf-8" },
    { sha256: change.hash, charset: change.charset ?? "utf-8" },
  ];
}

function announce(
  bus: Bus,
  pending: readonly PendingChange[],
  results: readonly RecordedChange[],
  moved: ReadonlySet<string>,
): void {
  const byId = new Map(results.map((result) => [result.id, result]));
  for (const [testobjectId, changes] of Map.groupBy(pending, (change) => change.objectId)) {
    const recorded = changes.flatMap((change) => {
      const result = byId.get(change.id);
      return result === undefined || !moved.has(change.id)
        ? []
        : [
            {
              testinstanceId: change.instanceId,
              snapshotId: change.id,
              kind: result.kind === "changed" && !result.significant ? "unchanged" : result.kind,
              linesAdded: result.added,
              linesRemoved: result.removed,
              filesChanged: result.filesChanged,
              factsChanged: (result.facts ?? []).map(({ fact }) => fact),
            },
          ];
    });
    if (recorded.length > 0) bus.publishEvent({ type: "snapshot:changed", testobjectId, changes: recorded });
  }
}
