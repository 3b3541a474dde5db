import { resolve } from "node:path";
import { createFairThread } from "@web-tester/worker/fair-thread";
import { type PageScan, scanPage, type ScanTask } from "../pure/scan-page.js";
import { ReadingEnded } from "../pure/slices.js";

/** Reads pages so that one made to take long holds up no other: long ones are read in a thread of their own, objects in turns. */
export interface PageScanner {
  /** @param objectId of the page @throws ReadingEnded where reading takes too long or too much memory */
  scan(objectId: string, task: ScanTask): Promise<PageScan>;
  close(): Promise<void>;
}

/** Read in place: the slowest page known takes 20 ms, an ordinary one less than 1. */
const scanHereMaxBytes = 128 * 1024;
const deadlineMs = 20_000;
const tooLong =
  "Reading this page took too long or too much memory, so it was given up. It is made in an unusual way: check what it holds.";

export function createPageScanner(): PageScanner {
  const filename = resolve(import.meta.dirname, "scan-page-worker.js");
  const thread = createFairThread<ScanTask, PageScan>({ filename, deadlineMs, maxHeapMb: 512 });
  return {
    async scan(objectId, task) {
      if (task.bytes.length <= scanHereMaxBytes) return scanPage(task);
      try {
        return await thread.run(objectId, task);
      } catch {
        throw new ReadingEnded("too-long", tooLong);
      }
    },
    close: () => thread.close(),
  };
}
