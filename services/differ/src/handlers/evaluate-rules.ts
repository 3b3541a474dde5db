import { jobWords } from "@web-tester/contracts/job-lines";
import type { MessageBody } from "@web-tester/contracts/messages";
import type { AppliedRule } from "@web-tester/contracts/entities/rule";
import { type Bus, type Delivery, done, type Outcome } from "@web-tester/platform/bus/bus";
import type { Database } from "@web-tester/platform/database/database";
import { changesOfInstances, recordEvaluated } from "@web-tester/records/changes/evaluate-changes";
import { foldEntriesOf } from "@web-tester/records/changes/fold-entries";
import { rulesInForce } from "@web-tester/records/rules/ignore-rules";
import { advanceEvaluation, finishEvaluation, nextEvaluation } from "@web-tester/records/runs/evaluation-run";
import { rulesProgress } from "@web-tester/records/runs/run-progress";
import { keepWorking } from "@web-tester/worker/keep-working";
import type { Comparer } from "../steps/comparer.js";
import { evaluateChanges } from "../steps/evaluate-changes.js";

export interface EvaluateRulesDeps {
  db: Database;
  bus: Bus;
  comparer: Comparer;
  /** Aborted when the process is to end; the evaluation continues in another process or after the next start. */
  signal: AbortSignal;
  onGivenUp(snapshotId: string, error: unknown): void;
}

const retryInMs = 1_000;
/** Pages per step; they are counted as done together. */
const pagesAtOnce = 50;
/** Changes that are evaluated before they are recorded. */
const changesAtOnce = 200;
const first = "00000000-0000-0000-0000-000000000000";

/**
 * Handler of `evaluate`: evaluates every change of an object again by its present rules, page by page. Delivered twice, or
 * again after a crash, it continues after the last page that is done. It changes how the past is shown, and notifies
 * nobody.
 */
export function createEvaluateRules({ db, bus, comparer, signal, onGivenUp }: EvaluateRulesDeps) {
  async function evaluatePages(instanceIds: readonly string[], rules: readonly AppliedRule[]): Promise<void> {
    for (let after = first; !signal.aborted;) {
      const changes = await changesOfInstances(db, instanceIds, after, changesAtOnce);
      const last = changes.at(-1);
      if (last === undefined) return;
      await recordEvaluated(db, await evaluateChanges({ db, comparer, onGivenUp }, changes, rules));
      after = last.id;
    }
  }

  return async (
    { runId }: MessageBody<"evaluate">,
    delivery: Pick<Delivery, "working" | "ackWaitMs">,
  ): Promise<Outcome> =>
    keepWorking(delivery, async () => {
      for (;;) {
        const step = await nextEvaluation(db, runId, pagesAtOnce);
        if (step === null) return done;
        if (step.instanceIds.length > 0) {
          // read for each step: where a rule changed meanwhile, the run starts over
          const rules = (await rulesInForce(db, [step.objectId])).get(step.objectId) ?? [];
          await evaluatePages(step.instanceIds, rules);
          if (signal.aborted) return { done: false, retryInMs };
          const run = await advanceEvaluation(db, runId, step);
          if (run !== null) bus.publishEvent(rulesProgress(run));
          continue;
        }
        await foldEntriesOf(db, step.objectId);
        const run = await finishEvaluation(db, runId, step);
        if (run === null) continue;
        bus.publishEvent(rulesProgress(run));
        bus.logLine(runId, "info", jobWords("rules-hold", { pages: run.completed }));
        return done;
      }
    });
}
