import { consumeAll } from "@web-tester/platform/bus/consume-all";
import { type ReconcilerOptions, startReconciler } from "@web-tester/worker/reconcile";
import type { ServiceContext } from "@web-tester/worker/service-context";
import { recoverChanges } from "@web-tester/records/changes/queue-changes";
import { lostEvaluations } from "@web-tester/records/runs/evaluation-run";
import { createEvaluateRules } from "./handlers/evaluate-rules.js";
import { lostNoise } from "@web-tester/records/runs/noise-run";
import { createFindNoise } from "./handlers/find-noise.js";
import { createAnswerDiff } from "./handlers/answer-diff.js";
import { createAnswerHeads } from "./handlers/answer-heads.js";
import { createAnswerLines } from "./handlers/answer-lines.js";
import { createAnswerPreview } from "./handlers/answer-preview.js";
import { createAnswerSuggest } from "./handlers/answer-suggest.js";
import { createAnswerMarks } from "./handlers/answer-marks.js";
import { createAnswerTrace } from "./handlers/answer-trace.js";
import { lostComparisons } from "@web-tester/records/runs/comparison-run";
import { createCompareSite } from "./handlers/compare-site.js";
import { type Comparer, createComparer } from "./steps/comparer.js";
import { startIndexing } from "./handlers/index-contents.js";
import { createPackBuilder } from "./steps/pack-builder.js";
import { createRecordChanges } from "./handlers/record-changes.js";
import { leaveHeapsToLimits } from "./steps/thread-heaps.js";
import { timeComparer } from "./steps/time-comparer.js";

/**
 * Threads for questions that a person waits for. Recording has a thread of its own, and so has learning what is noise, which may take
 * minutes: none of them delays the others.
 */
const answeringThreads = 2;
const messagesAtOnce = 2;
const evaluationsAtOnce = 1;
const comparisonsAtOnce = 2;
const questionsAtOnce = 8;

/** Takes diff work and answers diff questions until stopped. @returns a function that stops it */
export async function startDiffer(context: ServiceContext): Promise<() => Promise<void>> {
  const { config, db, bus, store, metrics, tracer, onError, onRecovered } = context;
  const seconds = metrics.histogram(
    "compare_seconds",
    "Time to compare two documents, waiting for a thread included; of pairs that are counted together, each has its share",
    ["purpose", "outcome"],
  );
  const timed = (purpose: "record" | "answer", threads: number) =>
    timeComparer(createComparer(store, threads), tracer, (outcome, took) =>
      seconds.observe({ purpose, outcome }, took),
    );
  leaveHeapsToLimits();
  const recording = timed("record", 1);
  const answering = timed("answer", answeringThreads);
  const learning = createComparer(store, 1, 0);
  const stopping = new AbortController();
  const builder = createPackBuilder();
  const indexing = startIndexing({ db, store, builder, everyMs: config.reconcileMs, onError });
  const { signal } = stopping;
  const work = workOf(context, { recording, answering, learning, signal, onRecorded: indexing.wake });
  const stopTaking = await consumeAll(bus, "differ", work, questionsOf(context, answering));
  const { hostConcurrency, reconcileMs: everyMs } = config;
  const reconciling: ReconcilerOptions = { db, bus, hostConcurrency, everyMs, onError, onRecovered };
  const stopReconciling = [
    startReconciler(recoverChanges, reconciling),
    startReconciler(lostEvaluations, reconciling),
    startReconciler(lostNoise, reconciling),
    startReconciler(lostComparisons, reconciling),
  ];
  return async () => {
    stopping.abort();
    // a search for noise starts over anyway
    await learning.destroy();
    await Promise.all([stopTaking(), ...stopReconciling.map((stop) => stop()), indexing.stop()]);
    await Promise.all([recording.close(), answering.close(), builder.close()]);
  };
}

interface Working {
  recording: Comparer;
  answering: Comparer;
  learning: Comparer;
  signal: AbortSignal;
  onRecorded(changes: number): void;
}

/** The kinds of work that the differ takes from the bus. */
function workOf(
  { db, bus, log }: ServiceContext,
  { recording, answering, learning, signal, onRecorded }: Working,
): Parameters<typeof consumeAll>[2] {
  const givenUp = (words: string, name: "snapshotId" | "pageId") => (id: string, error: unknown) =>
    log.error({ err: error, [name]: id }, words);
  return [
    {
      name: "diff",
      concurrency: messagesAtOnce,
      handle: createRecordChanges({
        ...{ db, bus, comparer: recording, onRecorded },
        onGivenUp: givenUp("a comparison was given up: the page counts as changed, without counts", "snapshotId"),
      }),
    },
    {
      name: "evaluate",
      concurrency: evaluationsAtOnce,
      handle: createEvaluateRules({
        ...{ db, bus, comparer: answering, signal },
        onGivenUp: givenUp("a change could not be looked at again: it counts", "snapshotId"),
      }),
    },
    {
      name: "compare",
      concurrency: comparisonsAtOnce,
      handle: createCompareSite({
        ...{ db, bus, comparer: answering, signal },
        onGivenUp: givenUp("a page of a comparison was given up: it differs, without counts", "pageId"),
      }),
    },
    {
      name: "noise",
      concurrency: evaluationsAtOnce,
      handle: createFindNoise({ db, bus, comparer: learning, signal }),
    },
  ];
}

/** The questions that people ask and wait for. */
function questionsOf({ db, store }: ServiceContext, answering: Comparer): Parameters<typeof consumeAll>[3] {
  return [
    { name: "diff", concurrency: questionsAtOnce, answer: createAnswerDiff(store, answering) },
    { name: "heads", concurrency: questionsAtOnce, answer: createAnswerHeads(store) },
    { name: "lines", concurrency: questionsAtOnce, answer: createAnswerLines(answering) },
    { name: "previewRule", concurrency: questionsAtOnce, answer: createAnswerPreview(db, answering) },
    { name: "suggestRules", concurrency: questionsAtOnce, answer: createAnswerSuggest(answering) },
    { name: "marks", concurrency: questionsAtOnce, answer: createAnswerMarks(answering) },
    { name: "trace", concurrency: questionsAtOnce, answer: createAnswerTrace(answering) },
  ];
}
