import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import { AppError } from "@web-tester/contracts/errors";
import type { Database } from "@web-tester/platform/database/database";
import type { Evaluated, EvaluatedChange } from "@web-tester/records/changes/evaluate-changes";
import { pathOf } from "@web-tester/signal/rules/rule-set";
import { type PairSignal, untoldHead, withBeside } from "../pure/pair-signal.js";
import { compareFiles } from "./compare-files.js";
import type { AskedPair, Comparer } from "./comparer.js";

interface EvaluateDeps {
  db: Database;
  comparer: Comparer;
  /** Called when a change could not be evaluated; it counts. */
  onGivenUp(snapshotId: string, error: unknown): void;
}

/** Evaluates recorded changes by rules, in their order. */
export async function evaluateChanges(
  { db, comparer, onGivenUp }: EvaluateDeps,
  changes: readonly EvaluatedChange[],
  rules: readonly AppliedRule[],
): Promise<Evaluated[]> {
  const files = await compareFiles(
    db,
    changes.map(({ id, previousId, filesChanged }) => ({ id, previousId, filesDiffer: filesChanged > 0 })),
  );
  // two parts: while one is read, the other is compared
  const middle = Math.ceil(changes.length / 2);
  const parts = [changes.slice(0, middle), changes.slice(middle)];
  const signals = await Promise.all(parts.map((part) => signalsOf(part, rules, comparer, onGivenUp)));
  return changes.map((change, index) => {
    const signal = signals.flat()[index] ?? untold;
    const { isOtherMode, facts } = change;
    const of = { path: pathOf(change.url), rules, files: files.get(change.id) ?? [], facts: facts ?? [], isOtherMode };
    return { id: change.id, objectId: change.objectId, ...withBeside(signal, of) };
  });
}

const none: PairSignal = { significant: false, changes: 0, ignored: 0, hunks: [], head: untoldHead };
const untold: PairSignal = { ...none, significant: true };

async function signalsOf(
  changes: readonly EvaluatedChange[],
  rules: readonly AppliedRule[],
  comparer: Comparer,
  onGivenUp: EvaluateDeps["onGivenUp"],
): Promise<PairSignal[]> {
  const pairs = changes.map((change) => pairOf(change, rules));
  const differing = pairs.filter((pair) => pair !== null);
  const counted = await countAll(differing, comparer, changes, onGivenUp);
  let next = 0;
  return pairs.map((pair) => (pair === null ? none : (counted[next++] ?? untold)));
}

/**
 * Counts all pairs together; where that fails, each alone, so that one document that cannot be compared does not block the
 * others.
 */
async function countAll(
  pairs: readonly AskedPair[],
  comparer: Comparer,
  changes: readonly EvaluatedChange[],
  onGivenUp: EvaluateDeps["onGivenUp"],
): Promise<PairSignal[]> {
  try {
    return (await comparer.count(pairs)).map(({ signal }) => signal);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
  const found: PairSignal[] = [];
  for (const pair of pairs) {
    try {
      found.push((await comparer.count([pair]))[0]?.signal ?? untold);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      onGivenUp(changes.find(({ hash }) => hash === pair.sides[1].sha256)?.id ?? "", error);
      found.push(untold);
    }
  }
  return found;
}

/** Returns the contents to compare; null where only files or facts beside the content changed. */
function pairOf(change: EvaluatedChange, rules: readonly AppliedRule[]): AskedPair | null {
  if (change.hash === change.previousHash) return null;
  return {
    sides: [
      { sha256: change.previousHash, charset: change.previousCharset ?? "utf-8" },
      { sha256: change.hash, charset: change.charset ?? "utf-8" },
    ],
    path: pathOf(change.url),
    rules,
  };
}
