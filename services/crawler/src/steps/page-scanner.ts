import { resolve } from "node:path";
import { createFairThread } from "@web-tester/worker/fair-thread";
import { type PageScan, scanPage, type ScanTask } from "../pure/scan-page.js";
import { ReadingEnded } from "../pure/slices.js";

/**
 * Reads small pages in place, and large ones in a worker thread in which objects take turns, so that a page made to take
 * long delays no others.
 */
export interface PageScanner {
  /** @param objectId the test object of the page @throws ReadingEnded where reading takes too long or too much memory */
  scan(objectId: string, task: ScanTask): Promise<PageScan>;
  close(): Promise<void>;
}

/** The most bytes that are read in place: the slowest page known takes 20 ms, an ordinary one less than 1 ms. */
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
