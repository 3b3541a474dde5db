import { resolve } from "node:path";
import { Piscina } from "piscina";
import { type PageScan, scanPage, type ScanTask } from "./scan-page.js";
import { ReadingEnded } from "./slices.js";

/** Reads pages so that one made to take long holds up no other: long ones are read in a thread of their own. */
export interface PageScanner {
  /** @throws ReadingEnded where reading takes too long or too much memory */
  scan(task: ScanTask): Promise<PageScan>;
  close(): Promise<void>;
}

/** Read in place: the slowest page known takes 20 ms, an ordinary one less than 1. */
const scanHereMaxBytes = 128 * 1024;
const deadlineMs = 20_000;
const tooLong =
  "Reading this page took too long or too much memory, so it was given up. It is made in an unusual way: check what it holds.";

export function createPageScanner(): PageScanner {
  const pool = new Piscina({
    filename: resolve(import.meta.dirname, "scan-page-worker.js"),
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 30_000,
    resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 },
  });
  return {
    async scan(task) {
      if (task.bytes.length <= scanHereMaxBytes) return scanPage(task);
      try {
        // the worker's module declares what it returns
        return (await pool.run(task, { signal: AbortSignal.timeout(deadlineMs) })) as PageScan;
      } catch {
        throw new ReadingEnded("too-long", tooLong);
      }
    },
    close: () => pool.close({ force: true }),
  };
}
