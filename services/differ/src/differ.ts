import type { Bus } from "@web-tester/platform/bus/bus";
import { consumeAll } from "@web-tester/platform/bus/consume-all";
import type { Config } from "@web-tester/platform/config";
import type { Database } from "@web-tester/platform/db/database";
import type { Logger } from "@web-tester/platform/logger";
import type { ObjectStore } from "@web-tester/platform/storage/object-store";
import { startReconciler } from "@web-tester/platform/work/reconcile";
import { recoverChanges } from "@web-tester/platform/work/recover-changes";
import { createAnswerDiff } from "./answer-diff.js";
import { createComparer } from "./comparer.js";
import { startIndexing } from "./index-contents.js";
import { createPackBuilder } from "./pack-builder.js";
import { createRecordChanges } from "./record-changes.js";

export interface DifferParts {
  config: Pick<Config, "hostConcurrency" | "reconcileMs">;
  log: Logger;
  db: Database;
  bus: Bus;
  store: ObjectStore;
}

/** Questions at once for which a person waits; recording has a thread of its own, so neither holds up the other. */
const answeringThreads = 2;
const messagesAtOnce = 2;
const questionsAtOnce = 8;

/** Takes diff work and answers diff questions until stopped. @returns a function that stops it */
export async function startDiffer({ config, log, db, bus, store }: DifferParts): Promise<() => Promise<void>> {
  const recording = createComparer(store, 1);
  const answering = createComparer(store, answeringThreads);
  const builder = createPackBuilder();
  const indexing = startIndexing({
    db,
    store,
    builder,
    everyMs: config.reconcileMs,
    onError: (message, error) => log.error({ err: error }, message),
  });
  const stopTaking = await consumeAll(
    bus,
    "differ",
    [
      {
        name: "diff",
        concurrency: messagesAtOnce,
        handle: createRecordChanges({ db, bus, comparer: recording, onRecorded: indexing.wake }),
      },
    ],
    [{ name: "diff", concurrency: questionsAtOnce, answer: createAnswerDiff(store, answering) }],
  );
  const stopReconciling = startReconciler(recoverChanges, {
    db,
    bus,
    hostConcurrency: config.hostConcurrency,
    everyMs: config.reconcileMs,
    onError: (message, error) => log.error({ err: error }, message),
    onRecovered: (message) => log.warn(message),
  });
  return async () => {
    await Promise.all([stopTaking(), stopReconciling(), indexing.stop()]);
    await Promise.all([recording.close(), answering.close(), builder.close()]);
  };
}
